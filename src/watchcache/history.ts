import type { ApiObject } from '#api';
import { weightOf, type ChangeEvents, type Revision } from '#storage';

const MAX_CHANGES = 1_024;
/** Counts only objects that the history alone keeps in memory: replaced and deleted ones, and all where the cache does not hold the state. */
const MAX_BYTES = 4 * 1024 * 1024;

/** How much is kept, in changes and in bytes. Defaults: `MAX_CHANGES` and `MAX_BYTES`. */
export interface HistoryBounds {
  readonly maxChanges?: number;
  readonly maxBytes?: number;
}

/** The last changes of a resource, for watches that start or resume at a recent revision. Older changes are read from the engine. */
export class History<T extends ApiObject> {
  readonly #maxChanges: number;
  readonly #maxBytes: number;
  readonly #changes: ChangeEvents<T>[] = [];
  /** The bytes that each of them keeps in memory. */
  readonly #weights: number[] = [];
  #bytes = 0;
  #start: Revision = 0;

  constructor({ maxChanges = MAX_CHANGES, maxBytes = MAX_BYTES }: HistoryBounds = {}) {
    this.#maxChanges = maxChanges;
    this.#maxBytes = maxBytes;
  }

  /** Removes all changes. Those added from now on must have higher revisions than `revision`. */
  reset(revision: Revision): void {
    this.#changes.length = 0;
    this.#weights.length = 0;
    this.#bytes = 0;
    this.#start = revision;
  }

  /** Adds a change. `isStateKept`: the object after the change is in memory in any case, as a part of the state. */
  add(change: ChangeEvents<T>, isStateKept = true): void {
    const { before, after } = change;
    const weight = (before === undefined ? 0 : weightOf(before)) + (after === undefined || isStateKept ? 0 : weightOf(after));
    this.#changes.push(change);
    this.#weights.push(weight);
    this.#bytes += weight;
    while (this.#changes.length > this.#maxChanges || this.#bytes > this.#maxBytes) this.#drop();
  }

  /** All changes after `revision`, oldest first; undefined: some of them were dropped. */
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
