import { setTimeout } from '#base';

/** Something that is usually over at once. */
export interface Passing {
  readonly isOver: boolean;
  /** It is not over after `waitedMs`. Called once at most. */
  lasts(waitedMs: number): void;
}

/** How long things may take before they are looked at. */
const ROUND_MS = 50;

let round: Passing[] = [];
let startedMs = 0;

/**
 * Looks after `ROUND_MS` or less whether `passing` is over, and tells it when it is not: a timer each, and whatever else is needed to watch
 * over slow ones, would cost those that are quick more than their work. They are kept until then, no longer.
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
