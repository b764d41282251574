import { steady, systemClock } from '#base';
import type { Progress } from '#server';
import type { Terminal } from '../terminal.ts';

/** Interval between progress messages. Shorter tasks print none. */
const EVERY_MS = 2_000;

/** Reports the progress of a long task on standard error. */
export function showProgress(terminal: Pick<Terminal, 'err'>, verb: string, nowMs: () => number = () => steady(systemClock).nowMs()): Progress {
  let nextMs = nowMs() + EVERY_MS;
  return (done, total) => {
    if (nowMs() < nextMs) return;
    nextMs = nowMs() + EVERY_MS;
    terminal.err(`${verb}: ${done} of ${total} (${Math.floor((done / Math.max(total, 1)) * 100)} %)\n`);
  };
}
