import { steady, type Clock } from './clock.ts';

const PERIOD_MS = 600_000;
const MAX_TEXTS = 100;

/**
 * Tells whether a text is to be logged now: the same one once in ten minutes, and a hundred at most in that time. For what others may cause as often as they
 * like.
 */
export function seldom(clock: Clock): (text: string) => boolean {
  const time = steady(clock);
  const told = new Set<string>();
  let startedMs = -Infinity;
  return (text) => {
    const nowMs = time.nowMs();
    if (nowMs - startedMs >= PERIOD_MS) {
      startedMs = nowMs;
      told.clear();
    }
    if (told.size >= MAX_TEXTS || told.has(text)) return false;
    told.add(text);
    return true;
  };
}
