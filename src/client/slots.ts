import { systemClock, type Clock } from '#base';

/** What takes longer waits for somebody else, and is not to hold up all others. */
const HELD_MS = 1_000;

/** A semaphore: bounds concurrent operations; further ones wait in order. One that takes long does not count any more. */
export class Slots {
  #free: number;
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number, clock: Clock = systemClock) {
    this.#free = count;
    this.#clock = clock;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let isHeld = true;
    const leave = (): void => {
      if (isHeld) this.#handOver();
      isHeld = false;
    };
    const cancel = this.#clock.after(HELD_MS, leave);
    try {
      return await work();
    } finally {
      cancel();
      leave();
    }
  }

  /** The next waiter takes over the slot. */
  #handOver(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
