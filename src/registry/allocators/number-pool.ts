import { getRandomValues } from '#base';

/** The numbers that were allocated and released since a pool was made. */
export interface PoolChanges {
  readonly taken: ReadonlySet<number>;
  readonly released: ReadonlySet<number>;
}

/** How many bits are set in each byte: a large range has so many bytes that to look at each bit would hold everybody up. */
const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

const NONE: ReadonlySet<number> = new Set();

/** Allocates the numbers from 0 to `size` - 1. The allocated ones are a bitmap, so that they can be stored. */
export class NumberPool {
  readonly size: number;
  readonly #bits: Uint8Array;
  readonly #taken = new Set<number>();
  readonly #released = new Set<number>();
  #count = 0;

  /** `bits`: the allocated numbers, as the property of the same name returned them. */
  constructor(size: number, bits?: Uint8Array) {
    this.size = size;
    this.#bits = new Uint8Array(Math.ceil(size / 8));
    if (bits === undefined) return;
    this.#bits.set(bits.subarray(0, this.#bits.length));
    // Nothing beyond the size, though the last byte has room for it.
    if (size % 8 !== 0) this.#bits[this.#bits.length - 1]! &= 0xff >> (8 - (size % 8));
    for (const byte of this.#bits) this.#count += ONES[byte] ?? 0;
  }

  /** The allocated numbers: bit `n % 8` of byte `n / 8` is that of number n. */
  get bits(): Uint8Array {
    return this.#bits;
  }

  get changes(): PoolChanges {
    return { taken: this.#taken, released: this.#released };
  }

  /** Whether every number is allocated. */
  get isFull(): boolean {
    return this.#count >= this.size;
  }

  includes(value: number): boolean {
    return Number.isInteger(value) && value >= 0 && value < this.size;
  }

  isAllocated(value: number): boolean {
    return ((this.#bits[value >> 3] ?? 0) & (1 << (value & 7))) !== 0;
  }

  /** Allocates a number; false: it is not in the range, or already allocated. */
  allocate(value: number): boolean {
    if (!this.includes(value) || this.isAllocated(value)) return false;
    this.#bits[value >> 3] = (this.#bits[value >> 3] ?? 0) | (1 << (value & 7));
    this.#count++;
    if (!this.#released.delete(value)) this.#taken.add(value);
    return true;
  }

  /**
   * Allocates any free number that is not in `reserved`; undefined: there is none. Begins at a random number, so that released numbers are not reused at
   * once.
   */
  allocateNext(reserved: ReadonlySet<number> = NONE): number | undefined {
    if (this.isFull) return undefined;
    const start = (getRandomValues(new Uint32Array(1))[0] ?? 0) % this.size;
    for (let step = 0; step < this.size; step++) {
      const value = (start + step) % this.size;
      if (!reserved.has(value) && this.allocate(value)) return value;
    }
    return undefined;
  }

  release(value: number): void {
    if (!this.includes(value) || !this.isAllocated(value)) return;
    this.#bits[value >> 3] = (this.#bits[value >> 3] ?? 0) & ~(1 << (value & 7));
    this.#count--;
    if (!this.#taken.delete(value)) this.#released.add(value);
  }

  /** All allocated numbers, in order. */
  *allocated(): Iterable<number> {
    for (let value = 0; value < this.size; value++) if (this.isAllocated(value)) yield value;
  }
}
