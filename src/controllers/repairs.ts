import { steady, type Clock } from '#base';

/** The time after the first repair too many; twice as long after each that follows. */
const FIRST_MS = 1000;
const LONGEST_MS = 300_000;
/** What has lasted so long was put right for good: what happens to it then is a new matter. */
const LASTING_MS = 2 * LONGEST_MS;
/** So many repairs come at once. More are no accident. */
const FEW = 3;

interface Repaired {
  times: number;
  atMs: number;
}

/**
 * What was put right and how often. Another program that wants the same thing otherwise would put it back each time, and neither would ever
 * rest: repairs that do not last come later and later.
 */
export class Repairs {
  readonly #clock: Clock;
  readonly #repaired = new Map<string, Repaired>();
  #hasTold = false;

  constructor(clock: Clock) {
    this.#clock = steady(clock);
  }

  /** Milliseconds until `key` may be put right again; 0: now. */
  waitMs(key: string): number {
    const nowMs = this.#clock.nowMs();
    const repaired = this.#repaired.get(key);
    if (repaired === undefined) return 0;
    if (nowMs - repaired.atMs <= LASTING_MS) return Math.max(0, repaired.atMs + restMs(repaired.times) - nowMs);
    this.#repaired.delete(key);
    return 0;
  }

  /** `key` was put right. Whether this is the moment to tell somebody that repairs do not last: it comes once, whatever the key. */
  did(key: string): boolean {
    const nowMs = this.#clock.nowMs();
    const repaired = this.#repaired.get(key);
    if (repaired === undefined) this.#repaired.set(key, { times: 1, atMs: nowMs });
    else {
      repaired.times++;
      repaired.atMs = nowMs;
    }
    if (this.#hasTold || repaired === undefined || repaired.times <= FEW) return false;
    this.#hasTold = true;
    return true;
  }

  /** `key` is gone. */
  forget(key: string): void {
    this.#repaired.delete(key);
  }
}

const restMs = (times: number): number => (times < FEW ? 0 : Math.min(FIRST_MS * 2 ** (times - FEW), LONGEST_MS));
