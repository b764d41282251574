import { GenerationCache, isTurnLong } from '#base';
import { missingValueFailure, writtenTo } from '../../damage.ts';
import type { Change, Page, Scan } from '../../engine.ts';
import type { Entry, Key, Revision } from '../../entry.ts';
import type { Expiring } from '../../expiry.ts';
import { compactedFailure, futureFailure, type StorageFailure } from '../../storage-failure.ts';
import type { Sqlite, SqlValue, Statement } from './binding.ts';
import { counter, readable } from './database.ts';
import { CACHE_BYTES, CATCH_UP_BYTES, CATCH_UP_RECORDS } from './limits.ts';

/** The keys from ?1 (inclusive) to ?2 (exclusive) as of revision ?3: current entries that are not newer, and entries that were replaced later. */
const AT = `
  SELECT key, revision FROM live WHERE key >= ?1 AND key < ?2 AND revision <= ?3
  UNION ALL
  SELECT key, revision FROM past WHERE key >= ?1 AND key < ?2 AND revision <= ?3 AND until > ?3`;

/** Reads at the newest and at older revisions, on the main thread. Every method is synchronous and sees one snapshot of the store. */
export class Reader {
  readonly #file: Sqlite;
  readonly #entries = new GenerationCache<Revision, Entry>(CACHE_BYTES, (entry) => entry.value.length + 200);
  readonly #head: () => Revision;
  readonly #compacted: () => Revision;
  readonly #getLive: Statement;
  readonly #getPast: Statement;
  readonly #getLog: Statement;
  readonly #scanNow: Statement;
  readonly #countNow: Statement;
  readonly #scanThen: Statement;
  readonly #countThen: Statement;
  readonly #changesAfter: Statement;
  readonly #nextExpiries: Statement;

  constructor(file: Sqlite) {
    this.#file = file;
    this.#head = counter(file, 'head');
    this.#compacted = counter(file, 'compacted');
    this.#getLive = file.prepare('SELECT revision FROM live WHERE key = ?');
    this.#getPast = file.prepare('SELECT revision, until FROM past WHERE key = ? AND revision <= ? ORDER BY revision DESC LIMIT 1');
    this.#getLog = file.prepare('SELECT key, removed, value FROM log WHERE revision = ?');
    this.#scanNow = file.prepare('SELECT key, revision FROM live WHERE key >= ? AND key < ? ORDER BY key LIMIT ?');
    this.#countNow = file.prepare('SELECT count(*) AS total FROM live WHERE key >= ? AND key < ?');
    this.#scanThen = file.prepare(`SELECT key, revision FROM (${AT}) ORDER BY key LIMIT ?4`);
    this.#countThen = file.prepare(`SELECT count(*) AS total FROM (${AT})`);
    this.#changesAfter = file.prepare('SELECT revision, key, previous, removed FROM log WHERE revision > ? AND revision <= ? ORDER BY revision LIMIT ?');
    this.#nextExpiries = file.prepare(`SELECT ${readable('at_ms')}, key, revision FROM expiries ORDER BY expiries.at_ms, key LIMIT ?`);
  }

  head(): Revision {
    return this.#head();
  }

  /** The failure of reading at a revision that was compacted; undefined: it is readable. */
  forgotten(at: Revision): StorageFailure | undefined {
    const compacted = this.#compacted();
    return at >= compacted ? undefined : compactedFailure(at, compacted);
  }

  get(key: Key, at?: Revision): Entry | undefined {
    return this.#atOnce(() => {
      const live = this.#getLive.get(key)?.['revision'] as Revision | undefined;
      if (at === undefined) return live === undefined ? undefined : writtenTo(key, this.entry(live));
      this.#check(at, this.#head());
      if (live !== undefined && live <= at) return writtenTo(key, this.entry(live));
      const past = this.#getPast.get(key, at);
      return past === undefined || (past['until'] as Revision) <= at ? undefined : writtenTo(key, this.entry(past['revision'] as Revision));
    });
  }

  scan({ start, end, limit, maxBytes, at, count = false }: Scan): Page {
    return this.#atOnce(() => {
      const head = this.#head();
      const revision = at ?? head;
      if (at !== undefined) this.#check(at, head);
      const place: SqlValue[] = revision === head ? [start, end] : [start, end, revision];
      const rows = (revision === head ? this.#scanNow : this.#scanThen).iterate(...place, limit === undefined ? -1 : limit + 1);
      const entries: Entry[] = [];
      let bytes = 0;
      let more = false;
      for (const row of rows) {
        more = entries.length === limit || (maxBytes !== undefined && entries.length > 1 && (bytes >= maxBytes || isTurnLong()));
        if (more) break;
        const entry = writtenTo(row['key'] as Key, this.entry(row['revision'] as Revision));
        bytes += entry.value.length;
        entries.push(entry);
      }
      if (!count) return { entries, more, revision };
      const total = more ? ((revision === head ? this.#countNow : this.#countThen).get(...place)?.['total'] as number) : entries.length;
      return { entries, more, revision, total };
    });
  }

  /** Some changes after `after` and up to `upTo`, oldest first, and the revision they reach. Throws `StorageFailure`. */
  changes(after: Revision, upTo: Revision): { readonly items: readonly Change[]; readonly position: Revision } {
    return this.#atOnce(() => {
      const failure = this.forgotten(after);
      if (failure !== undefined) throw failure;
      const items: Change[] = [];
      let bytes = 0;
      for (const { revision, key, previous, removed } of this.#changesAfter.iterate(after, upTo, CATCH_UP_RECORDS)) {
        const value = removed === 1 ? undefined : this.entry(revision as Revision).value;
        const change = this.change(revision as Revision, key as Key, previous as Revision, value);
        items.push(change);
        bytes += (value?.length ?? 0) + (change.before?.value.length ?? 0);
        if (bytes >= CATCH_UP_BYTES) break;
      }
      return { items, position: items[items.length - 1]?.revision ?? upTo };
    });
  }

  /** The change that feeds deliver for a write. Throws `StorageFailure` when the entry that it replaced cannot be read. */
  change(revision: Revision, key: Key, previous: Revision, value: Uint8Array | undefined): Change {
    return { key, revision, ...(value === undefined ? {} : { value }), ...(previous === 0 ? {} : { before: this.entry(previous) }) };
  }

  /** The entry written at `revision`, which must not be compacted. Throws `StorageFailure`. */
  entry(revision: Revision): Entry {
    const cached = this.#entries.get(revision);
    if (cached !== undefined) return cached;
    const row = this.#getLog.get(revision);
    if (row === undefined || row['removed'] === 1) throw missingValueFailure(revision);
    const entry: Entry = { key: row['key'] as Key, value: (row['value'] as Uint8Array | null) ?? new Uint8Array(), revision };
    this.#entries.set(revision, entry);
    return entry;
  }

  /** Caches an entry that was just written: it is likely to be read next. */
  keep(entry: Entry): void {
    this.#entries.set(entry.revision, entry);
  }

  /** Removes the entry of a revision from the cache. */
  drop(revision: Revision): void {
    this.#entries.delete(revision);
  }

  /** The entries that expire next, in order of time. */
  expiries(limit: number): readonly Expiring[] {
    return [...this.#nextExpiries.iterate(limit)].map((row) => ({ atMs: row['at_ms'] as number, key: row['key'] as Key, revision: row['revision'] as Revision }));
  }

  close(): void {
    this.#file.close();
  }

  /** Runs several statements in one read transaction, so that they see one snapshot. Throws what `read` throws. */
  #atOnce<T>(read: () => T): T {
    this.#file.exec('BEGIN');
    try {
      return read();
    } finally {
      this.#end();
    }
  }

  /** After a failure of the disk SQLite has ended the transaction by itself, and COMMIT fails. */
  #end(): void {
    try {
      this.#file.exec('COMMIT');
    } catch {}
  }

  #check(at: Revision, head: Revision): void {
    if (at > head) throw futureFailure(at, head);
    const failure = this.forgotten(at);
    if (failure !== undefined) throw failure;
  }
}
