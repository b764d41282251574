/** One number under one set of labels. Kept by whoever counts: no labels are looked at on the way of a request. */
export class Value {
  value = 0;

  add(amount: number): void {
    this.value += amount;
  }

  set(value: number): void {
    this.value = value;
  }
}

/** How often values fell into which range. */
export class Histogram {
  /** Upper bounds, the smallest first. */
  readonly bounds: readonly number[];
  /** Of each range alone; the last one is for values beyond all bounds. */
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
