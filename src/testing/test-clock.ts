import { parseDurationMs, shownValue, systemClock, type Clock } from '#base';

/** A clock that a test can advance. */
export interface TestClock extends Clock {
  /** Advances the time at once: all timers that are due by then run, in order of time. `24h`, `1h30m`, or milliseconds. */
  advance(duration: string | number): void;
}

/** A duration in milliseconds. Throws a `RangeError` for a malformed or negative one. */
export function millisecondsOf(duration: string | number): number {
  // Tests in plain JavaScript may give anything.
  const ms = typeof duration === 'string' ? parseDurationMs(duration) : duration;
  if (typeof ms !== 'number' || !(ms >= 0)) throw new RangeError(`${shownValue(duration)} is no duration such as 24h or 1h30m`);
  return ms;
}

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
  cancel(): void;
}

/** A clock that runs with another one, ahead by what it was advanced. */
export class AdvancedClock implements TestClock {
  readonly #base: Clock;
  readonly #timers = new Set<Timer>();
  #aheadMs = 0;

  constructor(base: Clock = systemClock) {
    this.#base = base;
  }

  nowMs(): number {
    return this.#base.nowMs() + this.#aheadMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer: Timer = { atMs: this.nowMs() + delayMs, run, cancel: () => {} };
    this.#timers.add(timer);
    this.#arm(timer);
    return () => {
      this.#timers.delete(timer);
      timer.cancel();
    };
  }

  advance(duration: string | number): void {
    const untilMs = this.nowMs() + millisecondsOf(duration);
    for (;;) {
      const [next] = [...this.#timers].filter(({ atMs }) => atMs <= untilMs).sort((one, other) => one.atMs - other.atMs);
      if (next === undefined) break;
      this.#moveTo(next.atMs);
      this.#ring(next);
    }
    this.#moveTo(untilMs);
    for (const timer of this.#timers) {
      timer.cancel();
      this.#arm(timer);
    }
  }

  /** Never moves backwards. */
  #moveTo(nowMs: number): void {
    this.#aheadMs += Math.max(0, nowMs - this.nowMs());
  }

  #arm(timer: Timer): void {
    timer.cancel = this.#base.after(Math.max(0, timer.atMs - this.nowMs()), () => this.#ring(timer));
  }

  #ring(timer: Timer): void {
    timer.cancel();
    if (this.#timers.delete(timer)) timer.run();
  }
}
