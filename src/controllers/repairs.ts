import { steady, type Clock } from '#base';

/** Delay after the first repair too many; doubles with each further one. */
const FIRST_MS = 1000;
const LONGEST_MS = 300_000;
/** A repair that lasted this long was permanent: the next one starts the count again. */
const LASTING_MS = 2 * LONGEST_MS;
/** Repairs without a delay. More are no accident. */
const FEW = 3;

interface Repaired {
  times: number;
  atMs: number;
}

/**
 * Counts repairs by key. Another program that wants a different state would revert each repair, and neither would ever stop: repairs that do not last
 * are delayed more and more.
 */
export class Repairs {
  readonly #clock: Clock;
  readonly #repaired = new Map<string, Repaired>();
  #hasTold = false;

  constructor(clock: Clock) {
    this.#clock = steady(clock);
  }

  /** Milliseconds until `key` may be repaired again; 0: now. */
  waitMs(key: string): number {
    const nowMs = this.#clock.nowMs();
    const repaired = this.#repaired.get(key);
    if (repaired === undefined) return 0;
    if (nowMs - repaired.atMs <= LASTING_MS) return Math.max(0, repaired.atMs + restMs(repaired.times) - nowMs);
    this.#repaired.delete(key);
    return 0;
  }

  /** Records a repair of `key`. Returns true once, for whichever key, when the log should say that repairs do not last. */
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

  /** Forgets a deleted key. */
  forget(key: string): void {
    this.#repaired.delete(key);
  }
}

const restMs = (times: number): number => (times < FEW ? 0 : Math.min(FIRST_MS * 2 ** (times - FEW), LONGEST_MS));
