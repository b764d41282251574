export interface ResetLimits {
  /** Streams that the peer of an HTTP/2 connection may reset at once. */
  readonly maxResets: number;
  /** So many more are allowed with each second, up to those. */
  readonly resetsPerSecond: number;
}

/**
 * How many streams one peer may reset. The library of Node (nghttp2) has such a budget of its own, of 1,000 at once and 33 more with each whole
 * second: where that is used up it neither reads nor closes, and Node is not told, so that the connection stands still for whoever uses it. This one
 * is to be used up first, by so much that it does not matter that it is told of resets a little later.
 */
export class ResetBudget {
  readonly #limits: ResetLimits;
  /** Between whole numbers where time has filled it up in part. */
  #left: number;
  #filledAtMs: number;

  /** `nowMs`: by a clock that nobody sets. */
  constructor(limits: ResetLimits, nowMs: number) {
    this.#limits = limits;
    this.#left = limits.maxResets;
    this.#filledAtMs = nowMs;
  }

  /** One more was reset. false: that is too many. */
  take(nowMs: number): boolean {
    const { maxResets, resetsPerSecond } = this.#limits;
    this.#left = Math.min(maxResets, this.#left + ((nowMs - this.#filledAtMs) * resetsPerSecond) / 1_000);
    this.#filledAtMs = nowMs;
    this.#left -= 1;
    return this.#left >= 0;
  }
}
