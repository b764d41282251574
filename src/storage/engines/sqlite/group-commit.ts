import { deferred, setImmediate, type Clock, type Deferred } from '#base';
import { StorageFailure, type Change, type Commit, type Revision, type Write } from '../../engine.ts';
import { MAX_KEY_BYTES } from './limits.ts';
import type { Answer, Order, Outcome, WriteOrder } from './messages.ts';
import type { Reader } from './reader.ts';

interface Waiting {
  readonly write: Write;
  readonly outcome: Deferred<Commit>;
}

interface Group {
  readonly waiting: readonly Waiting[];
  readonly orders: readonly WriteOrder[];
}

export interface CommitHooks {
  /** These changes are durable now. */
  readonly committed: (changes: readonly Change[], head: Revision) => void;
  /** What was written until `head` is durable, and cannot be told: what stood there before cannot be read. */
  readonly untold: (why: unknown, head: Revision) => void;
  /** A group failed: nothing of it took effect. */
  readonly failed: (why: unknown) => void;
  /** Why nothing can be written just now, if so. */
  readonly refusal: () => StorageFailure | undefined;
  readonly expiring: (atMs: number) => void;
}

/** The writing thread, one order at a time. */
export interface WritingThread {
  /** Throws `StorageFailure` when the order failed; nothing of it took effect then. */
  ask(order: Order, transfer?: readonly ArrayBuffer[]): Promise<Exclude<Answer, { kind: 'failed' }>>;
}

/** All who write in one turn of the event loop, or while a group is being written, share one transaction and one flush to disk. */
export class GroupCommit {
  readonly #thread: WritingThread;
  readonly #reader: Reader;
  readonly #clock: Clock;
  readonly #hooks: CommitHooks;
  #waiting: Waiting[] = [];
  /** The writing that was begun last. */
  #turn: Promise<unknown> = Promise.resolve();
  #isCalled = false;
  #closed = false;

  constructor(thread: WritingThread, reader: Reader, clock: Clock, hooks: CommitHooks) {
    this.#thread = thread;
    this.#reader = reader;
    this.#clock = clock;
    this.#hooks = hooks;
  }

  commit(write: Write): Promise<Commit> {
    if (this.#closed) return Promise.reject(new StorageFailure('unavailable', 'the store was closed'));
    if (Buffer.byteLength(write.key) > MAX_KEY_BYTES) {
      const told = `a key may have ${MAX_KEY_BYTES} bytes, this one has more: ${write.key.slice(0, 200)}…`;
      return Promise.reject(new StorageFailure('unavailable', told));
    }
    const outcome = deferred<Commit>();
    this.#waiting.push({ write, outcome });
    this.#callFor();
    return outcome.promise;
  }

  /** Forgets a slice; resolves to whether nothing is left to forget. */
  async sweep(upTo: Revision, nowMs: number, historyMs: number): Promise<boolean> {
    const answer = await this.#inTurn(() => this.#thread.ask({ kind: 'sweep', upTo, nowMs, historyMs }));
    if (answer.kind !== 'swept') return true;
    for (const revision of answer.dropped) this.#reader.drop(revision);
    return answer.finished;
  }

  /** Takes nothing more; resolves when nothing is under way any more. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#isCalled) await this.#turn;
    await this.#turn;
  }

  /** One turn of the event loop later, so that those who write in this one share the group. */
  #callFor(): void {
    if (this.#isCalled) return;
    this.#isCalled = true;
    void this.#inTurn(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      this.#isCalled = false;
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
    const group: Group = { waiting, orders: ordersOf(waiting, this.#clock.nowMs()) };
    const values = gathered(waiting);
    try {
      const refusal = this.#hooks.refusal();
      if (refusal !== undefined) throw refusal;
      const answer = await this.#thread.ask({ kind: 'write', writes: group.orders, values, timeMs }, [values.buffer]);
      if (answer.kind === 'written') this.#settle(group, answer.outcomes, answer.head);
    } catch (cause) {
      for (const { outcome } of waiting) outcome.reject(cause);
      this.#hooks.failed(cause);
    }
  }

  /** What is durable is told as that to its writer, whatever becomes of those who follow. */
  #settle({ waiting, orders }: Group, outcomes: readonly Outcome[], head: Revision): void {
    const done: { readonly write: Write; readonly revision: Revision; readonly previous: Revision }[] = [];
    for (const [at, { write, outcome }] of waiting.entries()) {
      const result = outcomes[at]!;
      if (!result.done) {
        this.#settleLost(outcome, result);
        continue;
      }
      const { key, value } = write;
      const { revision, previous } = result;
      if (value !== undefined) this.#reader.keep({ key, value, revision });
      const atMs = orders[at]?.expiresAtMs;
      if (atMs !== undefined) this.#hooks.expiring(atMs);
      done.push({ write, revision, previous });
      outcome.resolve({ done: true, revision });
    }
    if (done.length === 0) return;
    let changes: readonly Change[];
    try {
      changes = done.map(({ write, revision, previous }) => this.#reader.change(revision, write.key, previous, write.value));
    } catch (cause) {
      this.#hooks.untold(cause, head);
      return;
    }
    this.#hooks.committed(changes, head);
  }

  /** The write lost to what was written at `found`; 0: nothing stands there. */
  #settleLost(outcome: Deferred<Commit>, { found, lapsed }: Outcome & { readonly done: false }): void {
    try {
      outcome.resolve({ done: false, found: found === 0 ? undefined : this.#reader.entry(found), ...(lapsed === true ? { lapsed } : {}) });
    } catch (cause) {
      outcome.reject(cause);
    }
  }
}

function ordersOf(waiting: readonly Waiting[], nowMs: number): WriteOrder[] {
  let start = 0;
  return waiting.map(({ write: { value, ttlSeconds, ...rest } }) => {
    if (value === undefined) return rest;
    const valueAt = { start, length: value.length };
    start += value.length;
    return { ...rest, valueAt, ...(ttlSeconds === undefined ? {} : { expiresAtMs: Math.ceil(nowMs + ttlSeconds * 1000) }) };
  });
}

/** The values one behind the other, in memory of their own that can be handed over. */
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
