import { deferred, setImmediate, type Clock, type Deferred } from '#base';
import type { Change, Commit, Write } from '../../engine.ts';
import type { Revision } from '../../entry.ts';
import { expiryMs } from '../../expiry.ts';
import { longKeyFailure } from '../../longest-key.ts';
import { closedFailure, type StorageFailure } from '../../storage-failure.ts';
import type { LostOutcome, WriterResponse, WriterRequest, WriteOutcome, WriteRequest } from './messages.ts';
import type { Reader } from './reader.ts';

interface Waiting {
  readonly write: Write;
  readonly outcome: Deferred<Commit>;
}

interface Group {
  readonly waiting: readonly Waiting[];
  readonly requests: readonly WriteRequest[];
}

export interface CommitHooks {
  /** These changes have become durable. */
  readonly committed: (changes: readonly Change[], head: Revision) => void;
  /** The writes up to `head` are durable but cannot be delivered to feeds, because the entries that they replaced cannot be read. */
  readonly unpublishable: (why: StorageFailure, head: Revision) => void;
  /** The failure of a read, in words. */
  readonly unreadable: (cause: unknown) => StorageFailure;
  /** Values can be written: one was, and none of its group was refused. */
  readonly wrote: () => void;
  /** A group failed, or writes of it that found no disk space. */
  readonly failed: (why: unknown) => void;
  /** The failure of a write for which there is no disk space. */
  readonly noSpace: () => StorageFailure;
  /** Why writing is impossible at present; undefined: it is possible. */
  readonly refusal: () => StorageFailure | undefined;
  /** An entry with a time to live was written, which ends at `atMs`. */
  readonly expiring: (atMs: number) => void;
}

/** The writing thread, which takes one request at a time. */
export interface WritingThread {
  /** Sends a request and resolves with its answer. Rejects with `StorageFailure` when the request failed, which says where it may have had an effect all the same. */
  request(request: WriterRequest, transfer?: readonly ArrayBuffer[]): Promise<Exclude<WriterResponse, { kind: 'failed' }>>;
}

/** Group commit: writes of one turn of the event loop, or those that come while a group is written, share one transaction and one flush to disk. */
export class GroupCommit {
  readonly #thread: WritingThread;
  readonly #reader: Reader;
  readonly #clock: Clock;
  readonly #hooks: CommitHooks;
  #waiting: Waiting[] = [];
  /** Resolves when the last request that was queued is done. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Whether a group is scheduled that takes all waiting writes. */
  #isScheduled = false;
  #closed = false;

  constructor(thread: WritingThread, reader: Reader, clock: Clock, hooks: CommitHooks) {
    this.#thread = thread;
    this.#reader = reader;
    this.#clock = clock;
    this.#hooks = hooks;
  }

  commit(write: Write): Promise<Commit> {
    if (this.#closed) return Promise.reject(closedFailure());
    const tooLong = longKeyFailure(write.key);
    if (tooLong !== undefined) return Promise.reject(tooLong);
    const outcome = deferred<Commit>();
    this.#waiting.push({ write, outcome });
    this.#schedule();
    return outcome.promise;
  }

  /** Compacts one slice of the history; resolves with whether none is left. */
  async sweep(upTo: Revision, nowMs: number, historyMs: number): Promise<boolean> {
    const answer = await this.#inTurn(() => this.#thread.request({ kind: 'sweep', upTo, nowMs, historyMs }));
    if (answer.kind !== 'swept') return true;
    for (const revision of answer.dropped) this.#reader.drop(revision);
    return answer.finished;
  }

  /** Refuses further writes; resolves when none is in progress. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#turn;
  }

  /** The group is written one turn of the event loop later, so that all writes of this turn share it. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    void this.#inTurn(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      this.#isScheduled = false;
      await this.#write(this.#waiting.splice(0));
    });
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const acted = this.#turn.then(act);
    this.#turn = acted.then(
      () => {},
      () => {},
    );
    return acted;
  }

  async #write(waiting: readonly Waiting[]): Promise<void> {
    const timeMs = Math.floor(this.#clock.nowMs());
    const group: Group = { waiting, requests: requestsOf(waiting, this.#clock.nowMs()) };
    try {
      const refusal = this.#hooks.refusal();
      if (refusal !== undefined) throw refusal;
      const values = gathered(waiting);
      const answer = await this.#thread.request({ kind: 'write', writes: group.requests, values, timeMs }, [values.buffer]);
      if (answer.kind === 'written') this.#settle(group, answer.outcomes, answer.head);
    } catch (cause) {
      for (const { outcome } of waiting) outcome.reject(cause);
      this.#hooks.failed(cause);
    }
  }

  /** Resolves the writes of a durable group, even if its changes then cannot be delivered to feeds. */
  #settle({ waiting, requests }: Group, outcomes: readonly WriteOutcome[], head: Revision): void {
    let full: StorageFailure | undefined;
    const done: { readonly write: Write; readonly revision: Revision; readonly previous: Revision }[] = [];
    for (const [at, { write, outcome }] of waiting.entries()) {
      const result = outcomes[at]!;
      if (!result.done) {
        if ('noSpace' in result) outcome.reject((full ??= this.#hooks.noSpace()));
        else this.#settleLost(outcome, result);
        continue;
      }
      const { key, value } = write;
      const { revision, previous } = result;
      if (value !== undefined) this.#reader.keep({ key, value, revision });
      const atMs = requests[at]?.expiresAtMs;
      if (atMs !== undefined) this.#hooks.expiring(atMs);
      done.push({ write, revision, previous });
      outcome.resolve({ done: true, revision });
    }
    if (full !== undefined) this.#hooks.failed(full);
    else if (done.some(({ write }) => write.value !== undefined)) this.#hooks.wrote();
    if (done.length === 0) return;
    let changes: readonly Change[];
    try {
      changes = done.map(({ write, revision, previous }) => this.#reader.change(revision, write.key, previous, write.value));
    } catch (cause) {
      this.#hooks.unpublishable(this.#hooks.unreadable(cause), head);
      return;
    }
    this.#hooks.committed(changes, head);
  }

  /** Resolves a refused write with the entry at revision `found`; 0: the key does not exist. */
  #settleLost(outcome: Deferred<Commit>, { found, preconditionFailed }: LostOutcome): void {
    try {
      outcome.resolve({ done: false, found: found === 0 ? undefined : this.#reader.entry(found), ...(preconditionFailed === true ? { preconditionFailed: preconditionFailed } : {}) });
    } catch (cause) {
      outcome.reject(this.#hooks.unreadable(cause));
    }
  }
}

function requestsOf(waiting: readonly Waiting[], nowMs: number): WriteRequest[] {
  let start = 0;
  return waiting.map(({ write: { value, ttlSeconds, ...rest } }) => {
    if (value === undefined) return rest;
    const valueAt = { start, length: value.length };
    start += value.length;
    return { ...rest, valueAt, ...(ttlSeconds === undefined ? {} : { expiresAtMs: expiryMs(nowMs, ttlSeconds) }) };
  });
}

/** All values concatenated in a buffer of their own, which can be transferred to the thread. */
function gathered(waiting: readonly Waiting[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(waiting.reduce((total, { write }) => total + (write.value?.length ?? 0), 0));
  let start = 0;
  for (const { write } of waiting) {
    if (write.value === undefined) continue;
    bytes.set(write.value, start);
    start += write.value.length;
  }
  return bytes;
}
