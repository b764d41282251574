import { GenerationCache, compareUtf8, forgetOldest, isTurnLong } from '#base';
import { missingValueFailure, writtenTo } from '../../damage.ts';
import type { Change, Page, Scan } from '../../engine.ts';
import type { Entry, Key, Revision } from '../../entry.ts';
import { isTooLong } from '../../longest-key.ts';
import { compactedFailure, futureFailure, type StorageFailure } from '../../storage-failure.ts';
import { CountedRanges } from './counted-ranges.ts';
import { readCompacted, readHead, revisionOf, type Tables } from './database.ts';
import { placeOf } from './key-length.ts';
import { CACHE_BYTES } from './limits.ts';
import { decodeHeader, decodeRecord } from './record.ts';

/** After so many old revisions of one key in a row, a scan looks the right one up instead. */
const SKIP_AFTER = 32;
const MAX_TOTALS = 128;
/** To look at the time costs as much as to pass a row. */
const PASSED_PER_LOOK = 64;
/** Above every revision. */
const NO_REVISION = Infinity;

/** A page whose range is too long to be read in one turn of the event loop. */
export interface Unfinished {
  /** Reads on for as long as one turn may take. Returns the page once it is whole. Throws `StorageFailure`. */
  goOn(): Page | undefined;
}

interface Place {
  readonly key: Key;
  readonly revision: Revision;
}

/** Reads at the newest and at older revisions. Every method is synchronous, so one call sees one snapshot of the file. */
export class History {
  readonly #tables: Tables;
  readonly #entries = new GenerationCache<Revision, Entry>(CACHE_BYTES, (entry) => entry.value.length + 200);
  /** The number of entries from a key to the end of its range, at a revision: pages after the first one need not count. */
  readonly #totals = new Map<string, number>();

  readonly #counted = new CountedRanges();

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** The failure of reading at a revision that was compacted; undefined: it is readable. */
  forgotten(at: Revision): StorageFailure | undefined {
    const compacted = readCompacted(this.#tables);
    return at >= compacted ? undefined : compactedFailure(at, compacted);
  }

  get(key: Key, at?: Revision): Entry | undefined {
    if (at !== undefined) this.#check(at, readHead(this.#tables));
    if (isTooLong(key)) return undefined;
    const live = this.#tables.live.get(key);
    if (at === undefined) return live === undefined ? undefined : writtenTo(key, this.entry(revisionOf(live)));
    if (live !== undefined && revisionOf(live) <= at) return writtenTo(key, this.entry(revisionOf(live)));
    const revision = this.#pastOf(key, at);
    return revision === undefined ? undefined : writtenTo(key, this.entry(revision));
  }

  scan(asked: Scan): Page | Unfinished {
    const range = { ...asked, start: placeOf(asked.start), end: placeOf(asked.end) };
    const head = readHead(this.#tables);
    const revision = range.at ?? head;
    return revision === head ? this.#scanLive(range, revision) : this.#scanPast(range, revision);
  }

  /** The entry written at `revision`, which must not be compacted. Throws `StorageFailure`. */
  entry(revision: Revision): Entry {
    const cached = this.#entries.get(revision);
    if (cached !== undefined) return cached;
    const entry = this.#read(revision);
    this.#entries.set(revision, entry);
    return entry;
  }

  /** The same for scans. Does not fill the cache: entries read once must not evict those that are read often. */
  #oneOfMany(revision: Revision): Entry {
    return this.#entries.get(revision) ?? this.#read(revision);
  }

  #read(revision: Revision): Entry {
    const bytes = this.#tables.log.get(revision);
    const record = bytes === undefined ? undefined : decodeRecord(bytes);
    if (record?.value === undefined) throw missingValueFailure(revision);
    return { key: record.key, value: record.value, revision };
  }

  /** Caches an entry that was just written: it is likely to be read next. */
  keep(entry: Entry): void {
    this.#entries.set(entry.revision, entry);
  }

  /** Takes note of the changes of one group, which have become durable. */
  written(changes: readonly Change[], head: Revision): void {
    const [first] = changes;
    if (first !== undefined) this.#counted.changed(changes, first.revision - 1, head);
  }

  /** Removes the entry of a revision from the cache. */
  drop(revision: Revision): void {
    this.#entries.delete(revision);
  }

  /** Whether `key` was written or deleted after revision `after`. True if that is not known, because `after` was compacted. */
  isChanged(key: Key, after: Revision): boolean {
    if (this.forgotten(after) !== undefined) return true;
    for (const { value } of this.#tables.log.getRange({ start: after + 1 })) {
      if (decodeHeader(value).key === key) return true;
    }
    return false;
  }

  #scanLive({ start, end, limit, maxBytes, count = false }: Scan, revision: Revision): Page {
    const { live } = this.#tables;
    const entries: Entry[] = [];
    let bytes = 0;
    let more = false;
    for (const { key, value } of live.getRange({ start, end, ...(limit === undefined ? {} : { limit: limit + 1 }) })) {
      more = entries.length === limit || (entries.length > 1 && isFull(bytes, maxBytes));
      if (more) break;
      const entry = writtenTo(key, this.#oneOfMany(revisionOf(value)));
      bytes += entry.value.length;
      entries.push(entry);
    }
    const page = { entries, more, revision };
    if (!count) return page;
    return this.#withTotal(page, end, more ? (this.#total(revision, start, end) ?? this.#count(start, end, revision)) : entries.length);
  }

  /** Later writes change nothing of an earlier revision, so that it can be read in turns; compaction may forget it meanwhile: each turn looks first. */
  #scanPast({ start, end, limit = Infinity, maxBytes, count = false }: Scan, revision: Revision): Page | Unfinished {
    const entries: Entry[] = [];
    let bytes = 0;
    /** How many entries follow the page; undefined: it goes on. */
    let further: number | undefined;
    let from = start;
    /** The last key that was there. More rows of it may follow. */
    let last: Key | undefined;
    let passed = 0;
    const goOn = (): Page | undefined => {
      this.#check(revision, readHead(this.#tables));
      for (const place of this.#placesIn(from, end, revision)) {
        const isThere = place.revision <= revision;
        if (isThere && further === undefined && (entries.length >= limit || (entries.length > 1 && isFull(bytes, maxBytes)))) {
          const page = { entries, more: true, revision };
          if (!count) return page;
          const known = this.#total(revision, start, end);
          if (known !== undefined) return this.#withTotal(page, end, known);
          further = 0;
        }
        if (place.key !== last && (isThere || ++passed % PASSED_PER_LOOK === 0) && isTurnLong()) {
          from = place.key;
          return undefined;
        }
        if (!isThere) continue;
        last = place.key;
        if (further !== undefined) {
          further++;
          continue;
        }
        const entry = writtenTo(place.key, this.#oneOfMany(place.revision));
        bytes += entry.value.length;
        entries.push(entry);
      }
      const page = { entries, more: further !== undefined, revision };
      return count ? this.#withTotal(page, end, entries.length + (further ?? 0)) : page;
    };
    return goOn() ?? { goOn };
  }

  /** The rows of the range, those of both tables in one order: nothing is read of what lies behind a page. What is there as of `at` has a revision up to that. */
  #placesIn(start: Key, end: Key, at: Revision): Generator<Place> {
    return merged(this.#liveIn(start, end), this.#pastIn(start, end, at));
  }

  *#liveIn(start: Key, end: Key): Generator<Place> {
    for (const { key, value } of this.#tables.live.getRange({ start, end })) yield { key, revision: revisionOf(value) };
  }

  /** The entries of the range as of `at` that have been replaced or deleted since; where a row is none of them, its key without a revision. */
  *#pastIn(start: Key, end: Key, at: Revision): Generator<Place> {
    let from: [Key, Revision] | undefined = rowOfBound(start);
    while (from !== undefined) {
      const rows: Iterable<{ key: [Key, Revision]; value: Revision }> = this.#tables.past.getRange({ start: from, end: rowOfBound(end) });
      from = undefined;
      let current: Key | undefined;
      let run = 0;
      let found = false;
      for (const { key: row, value: until } of rows) {
        const [key, revision] = row;
        run = key === current ? run + 1 : 0;
        found = key === current && found;
        current = key;
        const isThere = revision <= at && at < until;
        found ||= isThere;
        yield { key, revision: isThere ? revision : NO_REVISION };
        if (run < SKIP_AFTER) continue;
        const further = found ? undefined : this.#pastOf(key, at);
        if (further !== undefined) yield { key, revision: further };
        from = behind(key);
        break;
      }
    }
  }

  /** The revision that `key` had as of `at`, if it has been replaced or deleted since. */
  #pastOf(key: Key, at: Revision): Revision | undefined {
    for (const { key: row, value: until } of this.#tables.past.getRange({ start: [key, at], end: [key, 0], reverse: true, limit: 1 })) {
      if (at < until) return row[1];
    }
    return undefined;
  }

  #check(at: Revision, head: Revision): void {
    if (at > head) throw futureFailure(at, head);
    const failure = this.forgotten(at);
    if (failure !== undefined) throw failure;
  }

  #count(start: Key, end: Key, revision: Revision): number {
    const known = this.#counted.total(start, end, revision);
    if (known !== undefined) return known;
    const total = this.#tables.live.getKeysCount({ start, end });
    this.#counted.remember(start, end, revision, total);
    return total;
  }

  #total(revision: Revision, start: Key, end: Key): number | undefined {
    return this.#totals.get(`${revision} ${end} ${start}`);
  }

  /**
   * A page with the total of its range. That of the next page is kept: callers read one entry ahead, and go on at that one, or right behind the one
   * before it.
   */
  #withTotal(page: Page, end: Key, total: number): Page {
    const { entries, more, revision } = page;
    const [before, last] = more ? [entries[entries.length - 2], entries[entries.length - 1]] : [];
    const starts = [before && `${before.key}\0`, last?.key].filter((start) => start !== undefined);
    for (const start of starts) {
      forgetOldest(this.#totals, MAX_TOTALS);
      this.#totals.set(`${revision} ${end} ${start}`, total - entries.length + 1);
    }
    return { ...page, total };
  }
}

/** The place in `past` behind all rows of a key. */
const behind = (key: Key): [Key, Revision] => [key, Number.MAX_SAFE_INTEGER];

/**
 * The place in `past` at which a range begins or ends. Right behind a key is behind its rows: the U+0000 at its end cannot be told from the one
 * between key and revision where the key is long, as the binding marks it in short ones only.
 */
const rowOfBound = (bound: Key): [Key, Revision] => (bound.endsWith('\0') ? behind(bound.slice(0, -1)) : [bound, 0]);

const isFull = (bytes: number, maxBytes: number | undefined): boolean => maxBytes !== undefined && (bytes >= maxBytes || isTurnLong());

/** Merges two sequences in key order. */
function* merged(a: Generator<Place>, b: Generator<Place>): Generator<Place> {
  try {
    let left = a.next();
    let right = b.next();
    while (!left.done || !right.done) {
      const takeLeft = right.done || (!left.done && compareUtf8(left.value.key, right.value.key) < 0);
      if (takeLeft && !left.done) {
        yield left.value;
        left = a.next();
      } else if (!right.done) {
        yield right.value;
        right = b.next();
      }
    }
  } finally {
    a.return(undefined);
    b.return(undefined);
  }
}
