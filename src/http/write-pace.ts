/** Weight of what was measured last in the averages. */
const WEIGHT = 1 / 8;
/** Fewer writes are not worth two commits. */
const LEAST_WRITES = 6;
/** To answer a write takes about as long as to prepare it. */
const WORK_PER_PREPARATION = 2;
/** A wait that is shorter than this part of the work is not worth to be filled. */
const LEAST_WAIT_PART = 1 / 8;

/**
 * How fast writes are prepared, and how long they wait for the disk. Tells whether it pays to write many in two halves, so that the processor works on
 * one of them while the disk works on the other. Two commits wait for the disk twice: it pays as long as that is less than work and wait of all at once.
 */
export class WritePace {
  #preparationMs = 0;
  #waitMs = 0;

  /** So many writes that began together were ready for the disk after `preparedMs`, and the first of them was done `waitedMs` later. */
  add(writes: number, preparedMs: number, waitedMs: number): void {
    this.#preparationMs += WEIGHT * (preparedMs / writes - this.#preparationMs);
    this.#waitMs += WEIGHT * (waitedMs - this.#waitMs);
  }

  /** How many writes are prepared within this time; at least one. */
  preparedWithin(ms: number): number {
    return Math.max(1, Math.floor(ms / this.#preparationMs));
  }

  /** Whether so many writes should begin in two halves. */
  isWorthHalving(writes: number): boolean {
    const workMs = WORK_PER_PREPARATION * writes * this.#preparationMs;
    return writes >= LEAST_WRITES && this.#waitMs < workMs && this.#waitMs > workMs * LEAST_WAIT_PART;
  }
}
