import { compareUtf8, forgetOldest } from '#base';
import type { Change, Key, Revision } from '../../engine.ts';

/** Every write looks at each: few, and those that nobody has asked for since so many writes are forgotten. */
const MAX_RANGES = 8;
const UNUSED_WRITES = 10_000;

interface Range {
  readonly start: Key;
  readonly end: Key;
  /** `total` is what it holds at this revision. */
  revision: Revision;
  total: number;
  /** Writes since it was asked for. */
  unused: number;
}

/** How many keys stand in the ranges that were asked for last, kept up with what is written: to count them takes as long as there are many. */
export class CountedRanges {
  readonly #ranges = new Map<string, Range>();

  /** undefined: not known at that revision. */
  total(start: Key, end: Key, revision: Revision): number | undefined {
    const range = this.#ranges.get(nameOf(start, end));
    if (range?.revision !== revision) return undefined;
    range.unused = 0;
    return range.total;
  }

  remember(start: Key, end: Key, revision: Revision, total: number): void {
    const name = nameOf(start, end);
    this.#ranges.delete(name);
    forgetOldest(this.#ranges, MAX_RANGES);
    this.#ranges.set(name, { start, end, revision, total, unused: 0 });
  }

  /** All that was written between `after` and `head`. */
  changed(changes: readonly Change[], after: Revision, head: Revision): void {
    for (const [name, range] of this.#ranges) {
      // It was counted when this stood there already.
      if (range.revision >= head) continue;
      range.unused += changes.length;
      if (range.revision !== after || range.unused > UNUSED_WRITES) {
        this.#ranges.delete(name);
        continue;
      }
      for (const change of changes) range.total += isIn(range, change.key) ? differenceOf(change) : 0;
      range.revision = head;
    }
  }
}

const nameOf = (start: Key, end: Key): string => `${start.length} ${start}${end}`;

const isIn = ({ start, end }: Range, key: Key): boolean => compareUtf8(start, key) <= 0 && compareUtf8(key, end) < 0;

const differenceOf = ({ before, value }: Change): number => (value === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
