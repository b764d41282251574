/** The program of the writing thread: each group of writes is one transaction and one flush to disk, while the server's event loop runs on. */
import { parentPort, workerData } from 'node:worker_threads';
import { failureText } from '#base';
import type { Sqlite, Statement } from './binding.ts';
import { counter, openToWrite } from './database.ts';
import { diskRoomOf, type DiskRoom } from './disk-room.ts';
import { PAGES_PER_SWEEP_BYTES, PAGES_PER_WRITE_BYTES, SWEEP_RECORDS } from './limits.ts';
import type { WriterResponse, WriterRequest, WriteOutcome, WriteRequest } from './messages.ts';

/** When the free pages exceed this share of the used ones, the excess is returned to the file system, so many pages at a time; the rest is reused. */
const FREE_SHARE = 1 / 4;
const VACUUM_PAGES = 2_048;
/** After these errors of a COMMIT (SQLITE_FULL, SQLITE_IOERR_WRITE) the log has no whole transaction. */
const CUT_SHORT: readonly unknown[] = [13, 778];

/** Writes to the store in a folder whose file is open for writing, one request at a time. */
export class Writer {
  readonly #file: Sqlite;
  readonly #room: DiskRoom;
  readonly #head: () => number;
  readonly #compacted: () => number;

  readonly #setMeta: Statement;
  readonly #getLive: Statement;
  readonly #putLive: Statement;
  readonly #dropLive: Statement;
  readonly #putLog: Statement;
  readonly #dropLog: Statement;
  readonly #walk: Statement;
  readonly #putPast: Statement;
  readonly #dropPast: Statement;
  readonly #putExpiry: Statement;
  readonly #dropExpiry: Statement;

  constructor(folder: string, file: Sqlite) {
    this.#file = file;
    this.#room = diskRoomOf(folder, file);
    this.#head = counter(file, 'head');
    this.#compacted = counter(file, 'compacted');
    this.#setMeta = file.prepare('UPDATE meta SET value = ? WHERE name = ?');
    this.#getLive = file.prepare('SELECT revision, expires_ms IS NOT NULL AS expires FROM live WHERE key = ?');
    this.#putLive = file.prepare('INSERT OR REPLACE INTO live VALUES (?, ?, ?)');
    this.#dropLive = file.prepare('DELETE FROM live WHERE key = ?');
    this.#putLog = file.prepare('INSERT INTO log VALUES (?, ?, ?, ?, ?, ?)');
    this.#dropLog = file.prepare('DELETE FROM log WHERE revision = ?');
    this.#walk = file.prepare('SELECT revision, key, previous, time_ms, removed FROM log WHERE revision > ? AND revision <= ? ORDER BY revision LIMIT ?');
    this.#putPast = file.prepare('INSERT INTO past VALUES (?, ?, ?)');
    this.#dropPast = file.prepare('DELETE FROM past WHERE key = ? AND revision = ?');
    this.#putExpiry = file.prepare('INSERT INTO expiries VALUES (?, ?, ?)');
    this.#dropExpiry = file.prepare('DELETE FROM expiries WHERE key = ?1 AND at_ms = (SELECT expires_ms FROM live WHERE key = ?1)');
  }

  /** Throws SQLite's errors; the request had no effect then. */
  answer(request: WriterRequest): WriterResponse {
    if (request.kind === 'close') {
      this.#file.close();
      return { kind: 'closed' };
    }
    this.#room.prepareFor(request.kind === 'write' ? request.values.length + request.writes.length * PAGES_PER_WRITE_BYTES : PAGES_PER_SWEEP_BYTES);
    this.#file.exec('BEGIN IMMEDIATE');
    try {
      const answer = request.kind === 'write' ? this.#write(request) : this.#sweep(request);
      return this.#commit() ?? answer;
    } catch (cause) {
      this.#rollBack();
      throw cause;
    }
  }

  /**
   * Returns what has failed. Where that is the flush, all of the transaction may be in the log: whoever opens the file next takes it over then, unless
   * another transaction was written in its place.
   */
  #commit(): WriterResponse | undefined {
    try {
      this.#file.exec('COMMIT');
      return undefined;
    } catch (cause) {
      this.#rollBack();
      return { kind: 'failed', why: failureText(cause), isUnconfirmed: !CUT_SHORT.includes((cause as { readonly errcode?: number }).errcode) };
    }
  }

  /** After some failures SQLite has rolled back by itself, and ROLLBACK fails. */
  #rollBack(): void {
    try {
      this.#file.exec('ROLLBACK');
    } catch {}
  }

  #write({ writes, values, timeMs }: Extract<WriterRequest, { kind: 'write' }>): WriterResponse {
    let head = this.#head();
    const before = head;
    const outcomes = writes.map((write): WriteOutcome => {
      const outcome = this.#writeOne(write, values, head + 1, timeMs);
      if (outcome.done) head++;
      return outcome;
    });
    if (head > before) this.#setMeta.run(head, 'head');
    return { kind: 'written', outcomes, head };
  }

  #writeOne({ key, expect, valueAt, expiresAtMs, preconditions }: WriteRequest, values: Uint8Array, revision: number, timeMs: number): WriteOutcome {
    const live = this.#getLive.get(key);
    const found = (live?.['revision'] as number | undefined) ?? 0;
    if (found !== expect || (found === 0 && valueAt === undefined)) return { done: false, found };
    if (preconditions?.some((one) => this.#getLive.get(one.key)?.['revision'] !== one.revision) === true) return { done: false, found, preconditionFailed: true };
    const value = valueAt === undefined ? null : values.subarray(valueAt.start, valueAt.start + valueAt.length);
    if (valueAt === undefined) this.#room.takeAnyway(PAGES_PER_WRITE_BYTES);
    else if (!this.#room.take(valueAt.length + PAGES_PER_WRITE_BYTES)) return { done: false, noSpace: true };
    this.#putLog.run(revision, key, found, timeMs, value === null ? 1 : 0, value);
    if (found !== 0) this.#putPast.run(key, found, revision);
    if (live?.['expires'] === 1) this.#dropExpiry.run(key);
    if (expiresAtMs !== undefined) this.#putExpiry.run(expiresAtMs, key, revision);
    if (value === null) this.#dropLive.run(key);
    else this.#putLive.run(key, revision, expiresAtMs ?? null);
    return { done: true, revision, previous: found };
  }

  /** Each log record names the revision that it replaced: for the records after the last compaction, those revisions are removed. */
  #sweep({ upTo, nowMs, historyMs }: Extract<WriterRequest, { kind: 'sweep' }>): WriterResponse {
    const dropped: number[] = [];
    let last: number | undefined;
    let walked = 0;
    for (const row of [...this.#walk.iterate(this.#compacted(), upTo, SWEEP_RECORDS)]) {
      if (Math.abs(nowMs - (row['time_ms'] as number)) < historyMs) break;
      const revision = row['revision'] as number;
      const previous = row['previous'] as number;
      if (previous !== 0) {
        this.#dropPast.run(row['key'] as string, previous);
        this.#dropLog.run(previous);
        dropped.push(previous);
      }
      if (row['removed'] === 1) this.#dropLog.run(revision);
      last = revision;
      walked++;
    }
    if (last !== undefined) this.#setMeta.run(last, 'compacted');
    this.#giveBack();
    return { kind: 'swept', finished: walked < SWEEP_RECORDS, dropped };
  }

  #giveBack(): void {
    const free = this.#pragma('freelist_count');
    const excess = Math.ceil(free - (this.#pragma('page_count') - free) * FREE_SHARE);
    const pages = Math.min(excess, VACUUM_PAGES, Math.floor(this.#room.movableBytes / this.#pragma('page_size')));
    if (pages > 0) this.#file.exec(`PRAGMA incremental_vacuum(${pages})`);
  }

  #pragma(name: 'freelist_count' | 'page_count' | 'page_size'): number {
    return this.#file.prepare(`PRAGMA ${name}`).get()?.[name] as number;
  }
}

if (parentPort !== null) {
  const port = parentPort;
  const { folder } = workerData as { readonly folder: string };
  const writer = new Writer(folder, openToWrite(folder));
  const take = (request: WriterRequest): void => {
    let answer: WriterResponse;
    try {
      answer = writer.answer(request);
    } catch (cause) {
      answer = { kind: 'failed', why: failureText(cause), isUnconfirmed: false };
    }
    port.postMessage(answer);
    // The thread ends when it listens no more. Deno has no `close` here.
    if (answer.kind === 'closed') port.off('message', take);
  };
  port.on('message', take);
}
