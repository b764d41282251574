import { Alarm, type Clock } from '#base';
import type { Write } from './engine.ts';
import type { Key, Revision } from './entry.ts';

/** The latest time at which an entry can expire, in milliseconds since 1970: a whole number that every engine keeps as it is. It is never reached. */
export const LATEST_EXPIRY_MS = Number.MAX_SAFE_INTEGER;

/** When an entry that is written now expires, in milliseconds since 1970: never too early, and at `LATEST_EXPIRY_MS` at the latest. */
export const expiryMs = (nowMs: number, ttlSeconds: number): number => Math.min(Math.ceil(nowMs + ttlSeconds * 1000), LATEST_EXPIRY_MS);

/** How many entries are deleted in one turn of the event loop. */
const KEYS_AT_ONCE = 256;
/** How long to wait after it has failed. */
export const EXPIRY_RETRY_MS = 1_000;

/** An entry with a time to live. */
export interface Expiring {
  /** When that ends, in milliseconds since 1970. */
  readonly atMs: number;
  readonly key: Key;
  readonly revision: Revision;
}

/** The store whose entries expire. */
export interface ExpiringStore {
  /** The entries that expire next, at most so many, in the order of time. Throws where they cannot be read. */
  next(limit: number): readonly Expiring[];
  commit(write: Write): Promise<unknown>;
}

/** Deletes entries when their time to live ends. The times are stored with them, so they hold across restarts. */
export class Expiry {
  readonly #store: ExpiringStore;
  readonly #clock: Clock;
  readonly #alarm: Alarm;
  readonly #failed: (cause: unknown) => void;

  /** `failed` is told why entries cannot be deleted; that is tried again. Nothing expires before `expect` was called. */
  constructor(store: ExpiringStore, clock: Clock, failed: (cause: unknown) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#failed = failed;
    this.#alarm = new Alarm(clock, () => void this.#expire());
  }

  /** Announces that an entry of the store expires at `atMs`; without end: none does. */
  expect(atMs: number): void {
    this.#alarm.setFor(atMs);
  }

  stop(): void {
    this.#alarm.stop();
  }

  async #expire(): Promise<void> {
    const nowMs = this.#clock.nowMs();
    try {
      const found = this.#store.next(KEYS_AT_ONCE + 1);
      const due = found.slice(0, KEYS_AT_ONCE).filter(({ atMs }) => atMs <= nowMs);
      const next = found[due.length]?.atMs;
      if (next !== undefined && next > nowMs) this.expect(next);
      // An entry that was written again meanwhile has another revision, so its delete is refused, as it must be.
      await Promise.all(due.map(({ key, revision }) => this.#store.commit({ key, expect: revision })));
      if (next !== undefined && next <= nowMs) this.expect(nowMs);
    } catch (cause) {
      this.#failed(cause);
      this.expect(nowMs + EXPIRY_RETRY_MS);
    }
  }
}
