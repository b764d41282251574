import type { ApiObject } from '#api';
import { weightOf, type ChangeEvents, type Revision } from '#storage';

const MAX_CHANGES = 1_024;
/** Of states that nobody else keeps: replaced and deleted ones, and all where the present state is not in memory. */
const MAX_BYTES = 4 * 1024 * 1024;

/** How much is kept, in changes and in bytes. Defaults: see above. */
export interface HistoryBounds {
  readonly maxChanges?: number;
  readonly maxBytes?: number;
}

/** The last changes of a resource: who starts or resumes a watch a moment late finds what it missed here. What is older the engine knows. */
export class History<T extends ApiObject> {
  readonly #maxChanges: number;
  readonly #maxBytes: number;
  readonly #changes: ChangeEvents<T>[] = [];
  /** What each of them keeps in memory. */
  readonly #weights: number[] = [];
  #bytes = 0;
  #start: Revision = 0;

  constructor({ maxChanges = MAX_CHANGES, maxBytes = MAX_BYTES }: HistoryBounds = {}) {
    this.#maxChanges = maxChanges;
    this.#maxBytes = maxBytes;
  }

  /** Forgets everything: what is added from now on comes after `revision`. */
  reset(revision: Revision): void {
    this.#changes.length = 0;
    this.#weights.length = 0;
    this.#bytes = 0;
    this.#start = revision;
  }

  /** `isStateKept`: what stands after the change is in memory in any case. */
  add(change: ChangeEvents<T>, isStateKept = true): void {
    const { before, after } = change;
    const weight = (before === undefined ? 0 : weightOf(before)) + (after === undefined || isStateKept ? 0 : weightOf(after));
    this.#changes.push(change);
    this.#weights.push(weight);
    this.#bytes += weight;
    while (this.#changes.length > this.#maxChanges || this.#bytes > this.#maxBytes) this.#drop();
  }

  /** Changes after `revision`, oldest first; undefined: not all of them are here any more. */
  after(revision: Revision): readonly ChangeEvents<T>[] | undefined {
    if (revision < this.#start) return undefined;
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#changes[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#changes.slice(low);
  }

  #drop(): void {
    this.#start = this.#changes.shift()!.revision;
    this.#bytes -= this.#weights.shift()!;
  }
}
