import { steady, type Clock, type Log } from '#base';

/** Takes why credentials are refused, and, where that is known, from which address they came. */
export type NoteRefusal = (why: string, from?: string) => void;

const PERIOD_MS = 600_000;
const MAX_LINES = 100;
/** Tokens may name very many audiences. */
const MAX_CHARACTERS = 1_024;

/**
 * Logs why credentials are refused, which nobody else is told: the same reason once in ten minutes, and a hundred lines at most in that time, since anybody
 * may send bad credentials as often as they like.
 */
export function refusalLog(log: Log, clock: Clock): NoteRefusal {
  const time = steady(clock);
  const told = new Set<string>();
  let startedMs = -Infinity;
  return (why, from) => {
    const nowMs = time.nowMs();
    if (nowMs - startedMs >= PERIOD_MS) {
      startedMs = nowMs;
      told.clear();
    }
    const shown = why.slice(0, MAX_CHARACTERS);
    const key = `${shown} ${from ?? ''}`;
    if (told.size >= MAX_LINES || told.has(key)) return;
    told.add(key);
    log.warn('credentials are refused', { why: shown, ...(from === undefined ? {} : { remoteAddress: from }) });
  };
}
