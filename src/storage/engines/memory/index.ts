import { Alarm, SortedMap, steady, Tail, type Clock } from '#base';
import type { Driver, EngineOptions } from '../../driver.ts';
import type { Change, Commit, Engine, Feed, Page, Scan, Write } from '../../engine.ts';
import { FIRST_REVISION, type Entry, type Key, type Revision } from '../../entry.ts';
import { expiryMs } from '../../expiry.ts';
import { followTail } from '../../follow-tail.ts';
import { closedFailure } from '../../storage-failure.ts';
import { History } from './history.ts';

/** How many changes a feed that is behind gets in one turn of the event loop. */
const CATCH_UP = 512;
/** How many entries expire, and how many changes are forgotten, in one turn of the event loop. */
const EXPIRE_AT_ONCE = 256;
const FORGET_AT_ONCE = 4_096;
/** The shortest interval at which history is trimmed: trimming copies all of the history that is left. */
const TRIM_EVERY_MS = 5_000;

/** A store in the memory of this process, lost when it ends: for tests, and for servers that need no persistence. */
export const driver: Driver = {
  scheme: 'memory',
  open: async (options) => new MemoryEngine(options),
};

class MemoryEngine implements Engine {
  readonly keepsOrder = true;
  /** Monotonic: times of this store need not mean anything to another process. */
  readonly #clock: Clock;
  readonly #historyMs: number;
  readonly #history = new History(FIRST_REVISION);
  readonly #tail = new Tail<Change>(FIRST_REVISION, { read: (after, upTo) => this.#history.changes(after, upTo, CATCH_UP) });
  /** The key by "time and key", in the order in which the entries expire. */
  readonly #expiries = new SortedMap<Key>();
  readonly #expiryOf = new Map<Key, string>();
  readonly #expiryAlarm: Alarm;
  readonly #historyAlarm: Alarm;
  #closed = false;

  constructor(options: EngineOptions) {
    this.#clock = steady(options.clock);
    this.#historyMs = options.historySeconds * 1000;
    this.#expiryAlarm = new Alarm(this.#clock, () => this.#expire());
    this.#historyAlarm = new Alarm(this.#clock, () => this.#trim());
  }

  async head(): Promise<Revision> {
    this.#checkOpen();
    return this.#history.head;
  }

  headAtHand(): Revision {
    return this.#history.head;
  }

  async get(key: Key, at?: Revision): Promise<Entry | undefined> {
    this.#checkOpen();
    return this.#history.get(key, at);
  }

  async scan(range: Scan): Promise<Page> {
    this.#checkOpen();
    return this.#history.scan(range);
  }

  async commit(write: Write): Promise<Commit> {
    this.#checkOpen();
    return this.#commit(write);
  }

  follow(prefix: Key, after: Revision, feed: Feed, signal: AbortSignal): void {
    followTail(this.#tail, { prefix, after, feed, signal }, () => (this.#closed ? closedFailure() : this.#history.forgotten(after)));
  }

  async compact(before: Revision): Promise<void> {
    this.#checkOpen();
    this.#history.compact(before);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#expiryAlarm.stop();
    this.#historyAlarm.stop();
    this.#tail.fail(closedFailure());
  }

  #commit(write: Write): Commit {
    const found = this.#history.get(write.key);
    if ((found?.revision ?? 0) !== write.expect) return { done: false, found };
    if (found === undefined && write.value === undefined) return { done: false, found };
    if (write.preconditions?.some(({ key, revision }) => this.#history.get(key)?.revision !== revision) === true) return { done: false, found, preconditionFailed: true };
    const change = this.#history.append(write.key, write.value, this.#clock.nowMs());
    this.#setExpiry(write);
    this.#historyAlarm.setFor(this.#clock.nowMs() + this.#historyMs);
    this.#tail.publish([change], change.revision);
    return { done: true, revision: change.revision };
  }

  #setExpiry({ key, ttlSeconds }: Write): void {
    const before = this.#expiryOf.get(key);
    if (before !== undefined) {
      this.#expiries.delete(before);
      this.#expiryOf.delete(key);
    }
    if (ttlSeconds === undefined) return;
    const atMs = expiryMs(this.#clock.nowMs(), ttlSeconds);
    const slot = `${String(atMs).padStart(16, '0')} ${key}`;
    this.#expiries.set(slot, key);
    this.#expiryOf.set(key, slot);
    this.#expiryAlarm.setFor(atMs);
  }

  #expire(): void {
    const nowMs = this.#clock.nowMs();
    const due: Key[] = [];
    for (const [slot, key] of this.#expiries.range('')) {
      const atMs = Number(slot.slice(0, 16));
      if (atMs > nowMs || due.length === EXPIRE_AT_ONCE) {
        this.#expiryAlarm.setFor(atMs);
        break;
      }
      due.push(key);
    }
    for (const key of due) {
      const live = this.#history.get(key);
      if (live !== undefined) this.#commit({ key, expect: live.revision });
    }
  }

  #trim(): void {
    const nowMs = this.#clock.nowMs();
    const untilMs = nowMs - this.#historyMs;
    const oldestMs = this.#history.trim(untilMs, FORGET_AT_ONCE);
    if (oldestMs === undefined) return;
    this.#historyAlarm.setFor(oldestMs <= untilMs ? nowMs : Math.max(oldestMs + this.#historyMs, nowMs + TRIM_EVERY_MS));
  }

  #checkOpen(): void {
    if (this.#closed) throw closedFailure();
  }
}
