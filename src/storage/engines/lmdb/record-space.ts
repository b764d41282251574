import { RECORD_SPACE_BYTES } from './limits.ts';

/**
 * Where the records of a group lie until LMDB has copied them into its pages. The next group has the same space: it stays in the processor's
 * caches, is no work for the collector, and the binding asks for its address once.
 */
export class RecordSpace {
  #bytes: Buffer | undefined;
  #used = 0;

  /** Good until `clear`. Whatever was in it before is still there. */
  take(length: number): Buffer {
    if (length > RECORD_SPACE_BYTES - this.#used) return Buffer.allocUnsafe(length);
    this.#bytes ??= Buffer.allocUnsafeSlow(RECORD_SPACE_BYTES);
    const from = this.#used;
    this.#used += length;
    return this.#bytes.subarray(from, this.#used);
  }

  /** Nobody needs any more what was taken. */
  clear(): void {
    this.#used = 0;
  }
}
