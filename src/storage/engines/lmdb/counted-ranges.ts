import { compareUtf8, forgetOldest } from '#base';
import type { Change } from '../../engine.ts';
import type { Key, Revision } from '../../entry.ts';

/** Every write updates each range. So there are few, and a range that no scan asked for during so many writes is dropped. */
const MAX_RANGES = 8;
const UNUSED_WRITES = 10_000;

interface Range {
  readonly start: Key;
  readonly end: Key;
  /** The revision at which the range holds `total` keys. */
  revision: Revision;
  total: number;
  /** The number of writes since a scan last asked for it. */
  unused: number;
}

/** The number of keys in recently counted ranges, kept up to date by each write: counting a range takes time in proportion to its keys. */
export class CountedRanges {
  readonly #ranges = new Map<string, Range>();

  /** The number of keys in a range at a revision; undefined: not known. */
  total(start: Key, end: Key, revision: Revision): number | undefined {
    const range = this.#ranges.get(nameOf(start, end));
    if (range?.revision !== revision) return undefined;
    range.unused = 0;
    return range.total;
  }

  /** Remembers a range that was counted. */
  remember(start: Key, end: Key, revision: Revision, total: number): void {
    const name = nameOf(start, end);
    this.#ranges.delete(name);
    forgetOldest(this.#ranges, MAX_RANGES);
    this.#ranges.set(name, { start, end, revision, total, unused: 0 });
  }

  /** Applies all changes with revisions above `after`, up to `head`. */
  changed(changes: readonly Change[], after: Revision, head: Revision): void {
    for (const [name, range] of this.#ranges) {
      // The range was counted after these changes.
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
