import type { Commit, Page, Scan, Write } from '../../engine.ts';
import type { Entry, Key, Revision } from '../../entry.ts';
import { compactedFailure, futureFailure, unconfirmedFailure, type StorageFailure } from '../../storage-failure.ts';
import { deadlineFromNow, NO_KEY, settlesWithin, type Cluster } from './cluster.ts';
import { failureOf, callFailureOf, sentFailureOf } from './failures.ts';
import type { Leases } from './leases.ts';
import { FIRST_PAGE, HEAD_SHARE_MS, LARGEST_PAGE, PAGE_BYTES } from './limits.ts';
import type { KeyValue, Operation, RangeResponse, RangeRequest } from './messages.ts';
import { compact, range, txn } from './methods.ts';
import { oldestRevision } from './oldest-revision.ts';
import { textOf } from './wire.ts';

/** Reads and writes of keys. Reads are linearizable. Throws `StorageFailure`. */
export class KeyValues {
  readonly #cluster: Cluster;
  readonly #leases: Leases;
  /** The last write in progress of each key. A later write of the same key is sent after it. */
  readonly #writing = new Map<Key, Promise<unknown>>();
  /** A call for the head that was not sent yet: all callers until then share it. */
  #headRequest: Promise<Revision> | undefined;
  /** The last call for the head that was sent. */
  #newestCheck: Promise<unknown> = Promise.resolve();

  constructor(cluster: Cluster, leases: Leases) {
    this.#cluster = cluster;
    this.#leases = leases;
  }

  head(): Promise<Revision> {
    return (this.#headRequest ??= this.#head());
  }

  async get(key: Key, at?: Revision): Promise<Entry | undefined> {
    const { entries } = await this.#range({ key: Buffer.from(key), limit: 1, ...atRevision(at) });
    return entries[0] && toEntry(entries[0]);
  }

  async scan({ start, end, limit = Infinity, maxBytes = Infinity, at, count = false }: Scan): Promise<Page> {
    const entries: Entry[] = [];
    let from = Buffer.from(start);
    let revision = at;
    let total = 0;
    let size = FIRST_PAGE;
    let all = 0;
    for (;;) {
      const room = Math.min(size, limit - entries.length);
      const page = await this.#range({ key: from, end: Buffer.from(end), limit: room, ...atRevision(revision) });
      if (entries.length === 0) total = page.count;
      revision ??= page.revision;
      let bytes = 0;
      for (const one of page.entries) {
        entries.push(toEntry(one));
        bytes += one.value.length;
      }
      const last = page.entries.at(-1);
      all += bytes;
      const isFull = entries.length >= limit || (all >= maxBytes && entries.length > 1);
      if (!page.more || last === undefined || isFull) {
        return { entries, more: page.more, revision, ...(count ? { total } : {}) };
      }
      size = nextSize(size, bytes);
      from = Buffer.concat([last.key, Buffer.of(0)]);
    }
  }

  async commit(write: Write): Promise<Commit> {
    const { key } = write;
    // Deleting a key that must not exist is not a write.
    if (write.expect === 0 && write.value === undefined) return { done: false, found: await this.get(key) };
    // The deadline includes the wait for earlier writes: when etcd does not answer, all of them fail at the same time.
    const deadlineMs = deadlineFromNow();
    const before = this.#writing.get(key);
    const commit = before === undefined ? this.#commit(write, deadlineMs) : before.then(() => this.#commit(write, deadlineMs));
    const settled = commit.then(
      () => undefined,
      () => undefined,
    );
    this.#writing.set(key, settled);
    try {
      return await commit;
    } finally {
      if (this.#writing.get(key) === settled) this.#writing.delete(key);
    }
  }

  /** Removes the history before a revision. Does nothing when it is already compacted. */
  async compact(before: Revision): Promise<void> {
    try {
      await this.#cluster.write(compact, { revision: before });
    } catch (error) {
      const trouble = callFailureOf(error);
      if (trouble === 'compacted') return;
      throw trouble === 'future' ? await this.#future(before) : failureOf(error, `cannot compact to ${before}`);
    }
  }

  /** The failure of reading at a compacted revision, with the oldest revision that is kept. */
  async compacted(at: Revision): Promise<StorageFailure> {
    return compactedFailure(at, await oldestRevision(this.#cluster));
  }

  async #head(): Promise<Revision> {
    const deadlineMs = deadlineFromNow();
    // A caller that comes during a call needs one that is sent later: the answer must not be older than its question. All who come meanwhile share it.
    await settlesWithin(this.#newestCheck, HEAD_SHARE_MS);
    this.#headRequest = undefined;
    const response = this.#range({ key: NO_KEY, countOnly: true }, deadlineMs);
    this.#newestCheck = response.catch(() => undefined);
    return (await response).revision;
  }

  async #range(request: RangeRequest, deadlineMs = deadlineFromNow()): Promise<RangeResponse> {
    try {
      return await this.#cluster.read(range, request, deadlineMs);
    } catch (error) {
      const { key, revision, countOnly = false } = request;
      if (revision !== undefined) {
        const trouble = callFailureOf(error);
        if (trouble === 'compacted') throw await this.compacted(revision);
        if (trouble === 'future') throw await this.#future(revision);
      }
      throw failureOf(error, countOnly ? 'cannot read the newest revision' : `cannot read ${textOf(key)}`);
    }
  }

  async #commit(write: Write, deadlineMs: number): Promise<Commit> {
    const newest = this.#cluster.newest;
    try {
      try {
        return await this.#commitOnce(write, deadlineMs);
      } catch (error) {
        // The lease expired before the write arrived, as when the machine was suspended. Nothing was written, so the write is sent again.
        if (write.ttlSeconds === undefined || callFailureOf(error) !== 'no-lease') throw error;
        this.#leases.forget(write.ttlSeconds);
        return await this.#commitOnce(write, deadlineMs);
      }
    } catch (error) {
      const failure = failureOf(error, `cannot write ${write.key}`);
      if (failure.code !== 'full') throw failure;
      // Without space etcd refuses a write before it compares. One that would have been refused anyway is told so, as a server that starts tries to create what is there.
      const found = await this.get(write.key);
      if ((found?.revision ?? 0) === write.expect) throw failure;
      // But the write with which it finds out that there is no space left, it does and refuses all the same.
      if (mayBeLeftBy(write, found, newest)) throw unconfirmedFailure(failure);
      return { done: false, found };
    }
  }

  async #commitOnce({ key, expect, value, ttlSeconds, preconditions }: Write, deadlineMs: number): Promise<Commit> {
    const bytes = Buffer.from(key);
    const lease = ttlSeconds === undefined || value === undefined ? undefined : await this.#leases.for(ttlSeconds, deadlineMs);
    const success: Operation = value === undefined ? { remove: bytes } : { put: { key: bytes, value, ...(lease === undefined ? {} : { lease }) } };
    const request = {
      compare: { key: bytes, modRevision: expect },
      ...(preconditions === undefined ? {} : { preconditions: preconditions.map(({ key: at, revision }) => ({ key: Buffer.from(at), modRevision: revision })) }),
      success,
      failure: { range: { key: bytes, limit: 1 } },
    };
    const response = await this.#cluster.write(txn, request, deadlineMs).catch((error: unknown) => {
      throw sentFailureOf(error, `cannot write ${key}`);
    });
    if (response.succeeded) return { done: true, revision: response.revision };
    const found = response.found && toEntry(response.found);
    return { done: false, found, ...((found?.revision ?? 0) === expect ? { preconditionFailed: true } : {}) };
  }

  async #future(at: Revision): Promise<StorageFailure> {
    return futureFailure(at, await this.head());
  }
}

const atRevision = (at: Revision | undefined): { revision?: Revision } => (at === undefined ? {} : { revision: at });

export const toEntry = ({ key, value, modRevision }: KeyValue): Entry => ({ key: textOf(key), value, revision: modRevision });

/** Whether a write that began when `newest` was the newest revision may have left what was found. */
const mayBeLeftBy = ({ value }: Write, found: Entry | undefined, newest: Revision): boolean =>
  found === undefined || value === undefined ? found === value : found.revision > newest && Buffer.compare(found.value, value) === 0;

/** The size of the next page: larger while pages have few bytes, smaller when they have many. */
function nextSize(size: number, bytes: number): number {
  if (bytes > PAGE_BYTES) return Math.max(1, Math.floor((size * PAGE_BYTES) / bytes));
  return bytes < PAGE_BYTES / 4 ? Math.min(LARGEST_PAGE, size * 4) : size;
}
