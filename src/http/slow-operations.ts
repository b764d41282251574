import { setTimeout } from '#base';

/** An operation that is usually over at once. */
export interface WatchedOperation {
  readonly isDone: boolean;
  /** Called at most once, with the time it has taken so far, when the operation is not over by then. */
  onSlow(waitedMs: number): void;
}

/** The longest time until operations are checked. */
const CHECK_MS = 50;

let watched: WatchedOperation[] = [];
let startedMs = 0;

/**
 * Checks after `CHECK_MS` or less whether `operation` is done, and calls its `onSlow` when it is not. One timer serves all: a timer for each, and
 * whatever else the supervision of slow operations needs, would cost the quick ones more than their work. Operations are referenced until then, no
 * longer.
 */
export function notifyIfSlow(operation: WatchedOperation): void {
  if (watched.push(operation) > 1) return;
  startedMs = performance.now();
  setTimeout(checkAll, CHECK_MS).unref();
}

function checkAll(): void {
  const looked = watched;
  watched = [];
  const waitedMs = performance.now() - startedMs;
  for (const operation of looked) if (!operation.isDone) operation.onSlow(waitedMs);
}
