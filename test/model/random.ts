/** The same numbers for the same seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761) >>> 0;
  }

  /** From 0 to below `below`. */
  int(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.int(from.length)]!;
  }

  /** One time in `times`. */
  oneIn(times: number): boolean {
    return this.int(times) === 0;
  }
}
