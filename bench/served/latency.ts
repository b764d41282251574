/** Latencies of one measurement; bounded, so that a long one does not fill the memory. */
export class Latencies {
  readonly #tookMs = new Float64Array(1 << 20);
  #count = 0;

  add(tookMs: number): void {
    this.#tookMs[this.#count++ & (this.#tookMs.length - 1)] = tookMs;
  }

  clear(): void {
    this.#count = 0;
  }

  /** `share` between 0 and 1. 0 when nothing was measured. */
  at(share: number): number {
    return percentile(this.#tookMs.slice(0, Math.min(this.#count, this.#tookMs.length)), share);
  }
}

export function percentile(tookMs: Float64Array, share: number): number {
  const sorted = tookMs.sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
