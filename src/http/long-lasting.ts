import { setTimeout } from '#base';

/** An operation that is usually over at once. */
export interface Passing {
  readonly isOver: boolean;
  /** Called at most once, with the time it has taken so far, when the operation is not over by then. */
  lasts(waitedMs: number): void;
}

/** The longest time until operations are checked. */
const ROUND_MS = 50;

let round: Passing[] = [];
let startedMs = 0;

/**
 * Checks after `ROUND_MS` or less whether `passing` is over, and calls its `lasts` when it is not. One timer serves all: a timer for each, and
 * whatever else the supervision of slow operations needs, would cost the quick ones more than their work. Operations are referenced until then, no
 * longer.
 */
export function noticeIfLong(passing: Passing): void {
  if (round.push(passing) > 1) return;
  startedMs = performance.now();
  setTimeout(endRound, ROUND_MS).unref();
}

function endRound(): void {
  const looked = round;
  round = [];
  const waitedMs = performance.now() - startedMs;
  for (const passing of looked) if (!passing.isOver) passing.lasts(waitedMs);
}
