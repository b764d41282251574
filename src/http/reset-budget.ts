export interface ResetLimits {
  /** Streams that the peer of an HTTP/2 connection may reset in one burst. */
  readonly maxResets: number;
  /** Tokens added to the bucket each second, up to `maxResets`. */
  readonly resetsPerSecond: number;
}

/**
 * A token bucket for the streams one peer may reset. In Node 20 nghttp2 has such a bucket of its own, with a burst of 1,000 and 33 more each whole
 * second: once that is empty it neither reads nor closes and does not tell Node, so that the connection hangs. This bucket is smaller, so that it is
 * empty first even though it learns of resets a little later.
 */
export class ResetBudget {
  readonly #limits: ResetLimits;
  /** A fraction where time has refilled it in part. */
  #left: number;
  #filledAtMs: number;

  /** `nowMs`: of a monotonic clock. */
  constructor(limits: ResetLimits, nowMs: number) {
    this.#limits = limits;
    this.#left = limits.maxResets;
    this.#filledAtMs = nowMs;
  }

  /** Counts one reset; false: the peer has exceeded its budget. */
  take(nowMs: number): boolean {
    const { maxResets, resetsPerSecond } = this.#limits;
    this.#left = Math.min(maxResets, this.#left + ((nowMs - this.#filledAtMs) * resetsPerSecond) / 1_000);
    this.#filledAtMs = nowMs;
    this.#left -= 1;
    return this.#left >= 0;
  }
}
