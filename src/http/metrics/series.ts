/** The number of one series. The code that counts holds the object: no labels are looked up while a request is served. */
export class Value {
  value = 0;

  add(amount: number): void {
    this.value += amount;
  }

  set(value: number): void {
    this.value = value;
  }
}

/** A histogram: how many observed values fell into each bucket. */
export class Histogram {
  /** Upper bounds, the smallest first. */
  readonly bounds: readonly number[];
  /** Per bucket, not cumulative; the last one is for values beyond all bounds. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at++;
    this.counts[at] = (this.counts[at] as number) + 1;
    this.sum += value;
  }
}
