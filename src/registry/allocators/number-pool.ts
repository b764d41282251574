/** Numbers from 0 on, each given to one holder at a time. What is taken is one bit each, so that it can be stored. */
export class NumberPool {
  readonly size: number;
  readonly #bits: Uint8Array;
  #taken = 0;

  /** `bits`: what was taken, as `bits` gave it. */
  constructor(size: number, bits?: Uint8Array) {
    this.size = size;
    this.#bits = new Uint8Array(Math.ceil(size / 8));
    if (bits === undefined) return;
    this.#bits.set(bits.subarray(0, this.#bits.length));
    for (let value = 0; value < size; value++) if (this.isTaken(value)) this.#taken++;
  }

  get bits(): Uint8Array {
    return this.#bits;
  }

  includes(value: number): boolean {
    return Number.isInteger(value) && value >= 0 && value < this.size;
  }

  isTaken(value: number): boolean {
    return ((this.#bits[value >> 3] ?? 0) & (1 << (value & 7))) !== 0;
  }

  /** Whether it was free. Numbers outside of the range belong to nobody. */
  take(value: number): boolean {
    if (!this.includes(value) || this.isTaken(value)) return false;
    this.#bits[value >> 3] = (this.#bits[value >> 3] ?? 0) | (1 << (value & 7));
    this.#taken++;
    return true;
  }

  /** Some free number, or undefined when there is none. From a place nobody can guess, so that numbers are not used again at once. */
  takeAny(): number | undefined {
    if (this.#taken >= this.size) return undefined;
    const start = (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % this.size;
    for (let step = 0; step < this.size; step++) {
      const value = (start + step) % this.size;
      if (this.take(value)) return value;
    }
    return undefined;
  }

  giveBack(value: number): void {
    if (!this.includes(value) || !this.isTaken(value)) return;
    this.#bits[value >> 3] = (this.#bits[value >> 3] ?? 0) & ~(1 << (value & 7));
    this.#taken--;
  }

  /** Everything that is taken, in order. */
  *taken(): Iterable<number> {
    for (let value = 0; value < this.size; value++) if (this.isTaken(value)) yield value;
  }
}
