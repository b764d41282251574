import { setImmediate } from '#base';
import type { WritePace } from './write-pace.ts';

/** Requests that began at the same moment. */
export interface Batch {
  /** How many of them have not ended. */
  readonly pending: number;
  /** To be called once for each of them, when its outcome is known. */
  ended(): void;
}

/** A batch of requests that do not wait for the disk: nobody asks what has become of it. */
export const READS: Batch = { pending: 0, ended() {} };

/** Writes that begin now. It is measured how long they take to be prepared, and then wait for the disk. */
export class WriteBatch implements Batch {
  readonly #size: number;
  readonly #pace: WritePace;
  readonly #nowMs: () => number;
  readonly #beganAtMs: number;
  #preparedAtMs: number | undefined;
  #pending: number;

  /** `nowMs`: a monotonic clock. */
  constructor(size: number, pace: WritePace, nowMs: () => number) {
    this.#size = this.#pending = size;
    this.#pace = pace;
    this.#nowMs = nowMs;
    this.#beganAtMs = nowMs();
    // What they do before they wait for something is done by the next turn of the event loop.
    setImmediate(() => (this.#preparedAtMs = nowMs()));
  }

  get pending(): number {
    return this.#pending;
  }

  ended(): void {
    if (this.#pending-- !== this.#size) return;
    const nowMs = this.#nowMs();
    const preparedAtMs = this.#preparedAtMs ?? nowMs;
    this.#pace.add(this.#size, preparedAtMs - this.#beganAtMs, nowMs - preparedAtMs);
  }
}
