import { seldom, type Clock, type Log } from '#base';

/** Takes why credentials are refused, and, where that is known, from which address they came. */
export type NoteRefusal = (why: string, from?: string) => void;

/** Tokens may name very many audiences. */
const MAX_CHARACTERS = 1_024;

/**
 * Logs why credentials are refused, which nobody else is told: the same reason once in ten minutes, and a hundred lines at most in that time, since anybody
 * may send bad credentials as often as they like.
 */
export function refusalLog(log: Log, clock: Clock): NoteRefusal {
  const isDue = seldom(clock);
  return (why, from) => {
    const shown = why.slice(0, MAX_CHARACTERS);
    if (!isDue(`${shown} ${from ?? ''}`)) return;
    log.warn('credentials are refused', { why: shown, ...(from === undefined ? {} : { remoteAddress: from }) });
  };
}
