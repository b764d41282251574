import { RECORD_BUFFER_BYTES } from './limits.ts';

/**
 * A buffer for the log records of a group, until LMDB has copied them into its pages. It is reused by the next group: it stays in the processor's
 * caches, causes no garbage collection, and the binding looks up its address once.
 */
export class RecordBuffer {
  #bytes: Buffer | undefined;
  #used = 0;

  /** A part of the buffer, valid until `clear`. It is not zeroed. */
  take(length: number): Buffer {
    if (length > RECORD_BUFFER_BYTES - this.#used) return Buffer.allocUnsafe(length);
    this.#bytes ??= Buffer.allocUnsafeSlow(RECORD_BUFFER_BYTES);
    const from = this.#used;
    this.#used += length;
    return this.#bytes.subarray(from, this.#used);
  }

  /** Makes the whole buffer available again. */
  clear(): void {
    this.#used = 0;
  }
}
