/** Numbers of a range, each given to one holder at a time. */
export class NumberPool {
  readonly first: number;
  readonly last: number;
  readonly #taken = new Set<number>();

  constructor(first: number, last: number) {
    this.first = first;
    this.last = last;
  }

  includes(value: number): boolean {
    return Number.isInteger(value) && value >= this.first && value <= this.last;
  }

  isTaken(value: number): boolean {
    return this.#taken.has(value);
  }

  /** Whether it was free. Numbers outside of the range belong to nobody. */
  take(value: number): boolean {
    if (!this.includes(value) || this.#taken.has(value)) return false;
    this.#taken.add(value);
    return true;
  }

  /** Some free number, or undefined when there is none. From a place nobody can guess, so that numbers are not used again at once. */
  takeAny(): number | undefined {
    const size = this.last - this.first + 1;
    if (this.#taken.size >= size) return undefined;
    const start = (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % size;
    for (let step = 0; step < size; step++) {
      const value = this.first + ((start + step) % size);
      if (this.take(value)) return value;
    }
    return undefined;
  }

  giveBack(value: number): void {
    this.#taken.delete(value);
  }
}
