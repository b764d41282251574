interface Flushable {
  flush(): void;
}

let waiting: Flushable[] = [];

/**
 * Flushes `target` at the end of this turn of the event loop, together with everyone else who asked. One timer however many outlets there
 * are.
 */
export function flushLater(target: Flushable): void {
  if (waiting.push(target) === 1) setImmediate(flushAll);
}

function flushAll(): void {
  const now = waiting;
  waiting = [];
  for (const target of now) target.flush();
}
