import type { Clock } from './clock.ts';

/** Timers hold 31 bits of milliseconds; far alarms are set again on the way. */
const LONGEST_MS = 3_600_000;

/** One alarm at the earliest of the moments asked for. After it rang it must be set again. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #atMs = Infinity;
  #cancel: (() => void) | undefined;
  #stopped = false;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Rings at `atMs` or earlier, if an earlier moment was asked for. */
  setFor(atMs: number): void {
    if (this.#stopped || atMs >= this.#atMs) return;
    this.#cancel?.();
    this.#atMs = atMs;
    this.#arm();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  #arm(): void {
    const delayMs = Math.max(0, Math.min(this.#atMs - this.#clock.nowMs(), LONGEST_MS));
    this.#cancel = this.#clock.after(delayMs, () => {
      if (this.#stopped) return;
      if (this.#clock.nowMs() < this.#atMs) {
        this.#arm();
      } else {
        this.#atMs = Infinity;
        this.#ring();
      }
    });
  }
}
