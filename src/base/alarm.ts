import type { Clock } from './clock.ts';

/** Timers are limited to 31 bits of milliseconds; an alarm further away is armed again in between. */
const LONGEST_MS = 3_600_000;

/** A timer for the earliest of the requested times. After it has rung it must be set again. */
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

  /** Makes it ring at `atMs`, or earlier if an earlier time is set already; at once where that is past. */
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
