import type { Change } from '../../engine.ts';
import type { Revision } from '../../entry.ts';
import { StorageFailure } from '../../storage-failure.ts';
import { RECENT_BYTES, RECENT_CHANGES } from './limits.ts';

/** Some of the changes asked for are not in memory any more. */
export class Forgotten extends StorageFailure {
  constructor(after: Revision) {
    super('unavailable', `changes after ${after} are not in memory any more`);
  }
}

/** The newest changes, for feeds that start a little behind. */
export class RecentChanges {
  #changes: Change[] = [];
  #bytes = 0;
  #start: Revision;
  #position: Revision;

  /** Begins without changes, at revision `start`. */
  constructor(start: Revision) {
    this.#start = start;
    this.#position = start;
  }

  /** The revision after which all changes are in memory. */
  get start(): Revision {
    return this.#start;
  }

  add(changes: readonly Change[], upTo: Revision): void {
    for (const change of changes) {
      this.#changes.push(change);
      this.#bytes += sizeOf(change);
    }
    this.#position = upTo;
    if (this.#changes.length > 2 * RECENT_CHANGES || this.#bytes > 2 * RECENT_BYTES) this.#forget();
  }

  /** All changes after revision `after`. Throws `Forgotten` when `after` is before `start`. */
  read(after: Revision): { readonly items: readonly Change[]; readonly position: Revision } {
    if (after < this.#start) throw new Forgotten(after);
    return { items: this.#changes.filter(({ revision }) => revision > after), position: this.#position };
  }

  /** Drops half of the changes at a time, so that each change is copied once on average. What is left of a revision at which it stops is never read. */
  #forget(): void {
    let dropped = 0;
    let bytes = this.#bytes;
    while (this.#changes.length - dropped > RECENT_CHANGES || bytes > RECENT_BYTES) {
      const change = this.#changes[dropped++] as Change;
      bytes -= sizeOf(change);
      this.#start = change.revision;
    }
    this.#changes = this.#changes.slice(dropped);
    this.#bytes = bytes;
  }
}

const sizeOf = ({ value, before }: Change): number => (value?.length ?? 0) + (before?.value.length ?? 0);
