import { setImmediate } from '#base';
import type { WritePace } from './write-pace.ts';

export interface BatchMeasure {
  /** A monotonic clock. */
  readonly nowMs: () => number;
  readonly pace: WritePace;
}

/** Requests that began at the same moment. */
export class Batch {
  readonly #writes: number;
  readonly #measure: BatchMeasure;
  readonly #beganAtMs: number;
  #preparedAtMs: number | undefined;
  #pendingWrites: number;

  constructor(writes: number, measure: BatchMeasure) {
    this.#writes = this.#pendingWrites = writes;
    this.#measure = measure;
    this.#beganAtMs = measure.nowMs();
    // What they do before they wait for something is done by the next turn of the event loop.
    if (writes > 0) setImmediate(() => (this.#preparedAtMs = measure.nowMs()));
  }

  /** The writes among them that have not ended. */
  get pendingWrites(): number {
    return this.#pendingWrites;
  }

  /** To be called once for each write, when its outcome is known. */
  writeEnded(): void {
    if (this.#pendingWrites-- !== this.#writes) return;
    const { nowMs, pace } = this.#measure;
    const preparedAtMs = this.#preparedAtMs ?? nowMs();
    pace.add(this.#writes, preparedAtMs - this.#beganAtMs, nowMs() - preparedAtMs);
  }
}
