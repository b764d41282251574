import assert from 'node:assert/strict';
import { SetClock, type Clock } from '#base';
import type { Change, Engine } from '../engine.ts';
import type { Key, Revision } from '../entry.ts';
import { StorageFailure } from '../storage-failure.ts';

export const HISTORY_SECONDS = 300;

export interface SuiteEngines {
  /** Opens a new, empty store. */
  open(clock: Clock): Promise<Engine>;
  /** Opens the same store again, after it was closed; absent for engines without persistence. */
  reopen?(clock: Clock): Promise<Engine>;
  /** Called after the last test. */
  clean?(): Promise<void>;
  /** Keys expire, and history is trimmed, by a clock of the store and not by the one given to `open`. */
  readonly hasOwnTime?: boolean;
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (value: Uint8Array | undefined): string | undefined => value && new TextDecoder().decode(value);
export const isFailure = (code: string, revision?: Revision) => (error: unknown) =>
  error instanceof StorageFailure && error.code === code && (revision === undefined || error.revision === revision);

/** The engine under test: a new one for each test. */
export class TestedEngine {
  engine!: Engine;
  clock!: SetClock;
  readonly #engines: SuiteEngines;

  constructor(engines: SuiteEngines) {
    this.#engines = engines;
  }

  /** Whether keys expire, and history is trimmed, by a clock that no test can set. */
  get hasOwnTime(): boolean {
    return this.#engines.hasOwnTime === true;
  }

  async open(): Promise<void> {
    this.clock = new SetClock();
    this.engine = await this.#engines.open(this.clock);
  }

  /** Opens the same store again, after it was closed. */
  async reopen(): Promise<void> {
    this.engine = await this.#engines.reopen!(this.clock);
  }

  readonly put = async (key: Key, value: string, expect: Revision | 'whatever' = 'whatever', ttlSeconds?: number): Promise<Revision> => {
    const found = expect === 'whatever' ? ((await this.engine.get(key))?.revision ?? 0) : expect;
    const commit = await this.engine.commit({ key, expect: found, value: bytes(value), ttlSeconds });
    assert.ok(commit.done, `put ${key} lost`);
    return commit.revision;
  };

  readonly remove = async (key: Key): Promise<Revision> => {
    const commit = await this.engine.commit({ key, expect: (await this.engine.get(key))?.revision ?? 0 });
    assert.ok(commit.done, `remove ${key} lost`);
    return commit.revision;
  };

  readonly all = async (at?: Revision): Promise<string[]> => {
    const page = await this.engine.scan({ start: '/', end: '0', ...(at === undefined ? {} : { at }) });
    return page.entries.map((entry) => `${entry.key}=${text(entry.value)}`);
  };

  /** Lets time pass in steps, with maintenance in each: a compaction without effect waits until maintenance in progress is done. */
  readonly pass = async (seconds: number): Promise<void> => {
    for (let left = seconds; left > 0; left -= 6) {
      this.clock.turn(Math.min(left, 6) * 1000);
      await this.engine.compact(1);
    }
  };
}

/** Lets tests wait for conditions without a clock: they are checked again whenever `wake` is called. */
export class Waiters {
  #waiting: { readonly until: () => boolean; readonly done: () => void }[] = [];

  until(until: () => boolean): Promise<void> {
    if (until()) return Promise.resolve();
    return new Promise((done) => this.#waiting.push({ until, done }));
  }

  wake(): void {
    this.#waiting = this.#waiting.filter(({ until, done }) => {
      if (until()) done();
      return !until();
    });
  }
}

/** Records what a feed delivers, and lets tests wait for a revision without a clock. */
export class Recorder {
  readonly changes: Change[] = [];
  upTo: Revision;
  lost: StorageFailure | undefined;
  /** How often it was told that it is lost. */
  losses = 0;
  readonly #abort = new AbortController();
  readonly #waiters = new Waiters();

  constructor(engine: Engine, prefix: Key, after: Revision) {
    this.upTo = after;
    engine.follow(
      prefix,
      after,
      {
        changes: (batch, upTo) => {
          assert.ok(upTo >= this.upTo, 'progress goes back');
          this.changes.push(...batch);
          this.upTo = upTo;
          this.#waiters.wake();
        },
        lost: (why) => {
          this.lost = why;
          this.losses += 1;
          this.#waiters.wake();
        },
      },
      this.#abort.signal,
    );
  }

  stop(): void {
    this.#abort.abort();
  }

  reached(revision: Revision): Promise<void> {
    return this.#waiters.until(() => this.upTo >= revision);
  }

  ended(): Promise<void> {
    return this.#waiters.until(() => this.lost !== undefined);
  }

  summary(): string[] {
    return this.changes.map((change) => `${change.revision} ${change.key}=${text(change.value) ?? '-'} was ${text(change.before?.value) ?? '-'}`);
  }
}
