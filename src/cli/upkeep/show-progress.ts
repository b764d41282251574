import { steady, systemClock } from '#base';
import type { Progress } from '#server';
import type { Terminal } from '../terminal.ts';

/** How often somebody who waits is told. What takes less says nothing. */
const EVERY_MS = 2_000;

/** Tells on standard error how far a long task is. */
export function showProgress(terminal: Pick<Terminal, 'err'>, verb: string, nowMs: () => number = () => steady(systemClock).nowMs()): Progress {
  let nextMs = nowMs() + EVERY_MS;
  return (done, total) => {
    if (nowMs() < nextMs) return;
    nextMs = nowMs() + EVERY_MS;
    terminal.err(`${verb}: ${done} of ${total} (${Math.floor((done / Math.max(total, 1)) * 100)} %)\n`);
  };
}
