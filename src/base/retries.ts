import type { Clock } from './clock.ts';

/**
 * Attempts that are made again after a delay. Of one name at most one is pending: where each failure led to another attempt of its own, whatever is
 * tried for other reasons as well would be tried more and more often, for as long as it fails.
 */
export class Retries {
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #pending = new Set<string>();

  constructor(clock: Clock, delayMs: number) {
    this.#clock = clock;
    this.#delayMs = delayMs;
  }

  /** Calls `run` after the delay, unless that of a failure before is pending. */
  later(name: string, run: () => void): void {
    if (this.#pending.has(name)) return;
    this.#pending.add(name);
    this.#clock.after(this.#delayMs, () => {
      this.#pending.delete(name);
      run();
    });
  }
}
