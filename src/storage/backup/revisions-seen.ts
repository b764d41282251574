import type { Revision } from '../entry.ts';

const FIRST_ROOM = 1_024;

/** Finds a revision that comes twice, in any order. Keeps eight to sixteen bytes for each. */
export class RevisionsSeen {
  #seen = new Float64Array(FIRST_ROOM);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(revision: Revision): void {
    if (this.#count === this.#seen.length) {
      const wider = new Float64Array(2 * this.#count);
      wider.set(this.#seen);
      this.#seen = wider;
    }
    this.#seen[this.#count++] = revision;
  }

  /** The lowest revision that was added more than once. */
  repeated(): Revision | undefined {
    const sorted = this.#seen.subarray(0, this.#count).sort();
    return sorted.find((revision, at) => sorted[at + 1] === revision);
  }
}
