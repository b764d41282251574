interface Flushable {
  flush(): void;
}

/** After flushing for a while the next flush waits this many times as long, so that there is more to send with each write, … */
const REST_PER_WORK = 4;
/** … but no longer than this. */
const MAX_REST_MS = 10;
/** Not worth a timer. */
const SHORT_REST_MS = 1;

let waiting: Flushable[] = [];
let restUntilMs = 0;

/**
 * Flushes `target` at the end of this turn of the event loop, together with everyone else who asked. One timer however many outlets there
 * are. A write costs much more than the bytes in it: when so many are written to that sending takes a good part of the time, flushes come
 * less often. Those who write to few do not notice.
 */
export function flushLater(target: Flushable): void {
  if (waiting.push(target) > 1) return;
  const restMs = restUntilMs - performance.now();
  if (restMs < SHORT_REST_MS) setImmediate(flushAll);
  else setTimeout(flushAll, restMs);
}

function flushAll(): void {
  const now = waiting;
  waiting = [];
  const startedMs = performance.now();
  for (const target of now) target.flush();
  const endedMs = performance.now();
  restUntilMs = endedMs + Math.min(MAX_REST_MS, (endedMs - startedMs) * REST_PER_WORK);
}
