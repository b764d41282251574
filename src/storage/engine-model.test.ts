import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { StillClock } from '#base';
import type { Change, Engine, Page } from './engine.ts';
import { openEngine } from './open.ts';
import { NO_SQLITE } from './engines/sqlite/test-support.ts';
import type { Key, Revision } from './entry.ts';
import { StorageFailure } from './storage-failure.ts';

/** Long ones too: what keys are written as in a table may depend on their length. */
const LONG = '/long'.repeat(20);
const KEYS = ['/a', '/a/b', '/a/c', '/a0', '/b/x', `${LONG}/a`, `${LONG}/a-b`, `${LONG}/é`];
const someKey = fc.nat(KEYS.length - 1);

type Step =
  | { readonly do: 'put'; readonly key: number; readonly right: boolean; readonly together: number }
  | { readonly do: 'remove'; readonly key: number; readonly right: boolean }
  | { readonly do: 'compact'; readonly back: number }
  | { readonly do: 'page'; readonly back: number; readonly limit: number; readonly start: number; readonly goesOn: 'at' | 'behind' }
  | { readonly do: 'follow'; readonly back: number }
  | { readonly do: 'reopen' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), key: someKey, right: fc.boolean(), together: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), key: someKey, right: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const), back: fc.nat(6) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('page' as const), back: fc.nat(12), limit: fc.integer({ min: 1, max: 9 }), start: someKey, goesOn: fc.constantFrom('at', 'behind') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('follow' as const), back: fc.nat(12) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
);

/** What an engine should hold: every state there ever was. */
class Model {
  readonly states = new Map<Revision, ReadonlyMap<Key, string>>([[1, new Map()]]);
  readonly changes: string[] = ['', ''];
  head = 1;
  compacted = 1;

  stands(key: Key): Revision {
    const value = this.states.get(this.head)!.get(key);
    return value === undefined ? 0 : Number(value.slice(1));
  }

  apply(key: Key, deleted: boolean): void {
    const state = new Map(this.states.get(this.head));
    const before = state.get(key) ?? '-';
    this.head++;
    if (deleted) state.delete(key);
    else state.set(key, `v${this.head}`);
    this.states.set(this.head, state);
    this.changes.push(`${this.head} ${key} ${deleted ? '-' : `v${this.head}`} ${before}`);
  }
}

const text = (value: Uint8Array | undefined): string => (value === undefined ? '-' : new TextDecoder().decode(value));
const tell = ({ revision, key, value, before }: Change): string => `${revision} ${key} ${text(value)} ${text(before?.value)}`;
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** An engine driven beside its model. */
class Run {
  readonly #model = new Model();
  readonly #open: () => Promise<Engine>;
  #engine!: Engine;
  #followed: string[] = [];
  #followedFrom = 1;

  constructor(open: () => Promise<Engine>) {
    this.#open = open;
  }

  async all(steps: readonly Step[], canReopen: boolean): Promise<void> {
    this.#engine = await this.#open();
    this.#follow();
    for (const one of steps) if (one.do !== 'reopen' || canReopen) await this.#step(one);
    assert.deepEqual(this.#followed, this.#model.changes.slice(this.#followedFrom + 1));
    await this.#engine.close();
  }

  #follow(): void {
    this.#followed = [];
    this.#followedFrom = this.#model.head;
    const feed = { changes: (batch: readonly Change[]) => void this.#followed.push(...batch.map(tell)), lost: () => {} };
    this.#engine.follow('/', this.#followedFrom, feed, new AbortController().signal);
  }

  async #step(one: Step): Promise<void> {
    const model = this.#model;
    switch (one.do) {
      case 'put':
        await Promise.all(Array.from({ length: one.together }, (_, i) => this.#write(KEYS[(one.key + i) % KEYS.length]!, one.right, false)));
        break;
      case 'remove':
        await this.#write(KEYS[one.key]!, one.right, true);
        break;
      case 'compact':
        model.compacted = Math.max(model.compacted, model.head - one.back);
        await this.#engine.compact(Math.max(1, model.head - one.back));
        break;
      case 'page':
        await this.#pages(Math.max(1, model.head - one.back), one.limit, { at: KEYS[one.start]!, behind: `${KEYS[one.start]}\0` }[one.goesOn], one.goesOn);
        break;
      case 'follow':
        await this.#catchUp(Math.max(1, model.head - one.back));
        break;
      case 'reopen':
        assert.deepEqual(this.#followed, model.changes.slice(this.#followedFrom + 1));
        await this.#engine.close();
        this.#engine = await this.#open();
        this.#follow();
    }
    assert.equal(await this.#engine.head(), model.head);
  }

  async #write(key: Key, right: boolean, deleted: boolean): Promise<void> {
    const model = this.#model;
    const stands = model.stands(key);
    const expect = right ? stands : stands + 1;
    const isDone = right && !(deleted && stands === 0);
    if (isDone) model.apply(key, deleted);
    const commit = await this.#engine.commit({ key, expect, ...(deleted ? {} : { value: Buffer.from(`v${model.head}`) }) });
    if (commit.done) assert.ok(isDone);
    else assert.deepEqual([isDone, commit.found?.revision ?? 0], [false, stands]);
  }

  /** Reads from `start` to the end, one entry ahead: each page begins `at` the last entry of the one before, or `behind` the one before that. */
  async #pages(at: Revision, limit: number, start: Key, goesOn: 'at' | 'behind'): Promise<void> {
    const scan = (from: Key): Promise<Page> => this.#engine.scan({ start: from, end: '0', at, limit, count: true });
    if (at < this.#model.compacted) {
      await assert.rejects(scan(start), (error) => error instanceof StorageFailure && error.code === 'compacted' && error.revision === this.#model.compacted);
      return;
    }
    const state = this.#model.states.get(at)!;
    for (let first: Key = start; ; ) {
      const expected = [...state].filter(([key]) => byBytes(key, first) >= 0 && byBytes(key, '0') < 0).sort(([a], [b]) => byBytes(a, b));
      const { entries, more, total } = await scan(first);
      assert.deepEqual(entries.map((entry) => [entry.key, text(entry.value)]), expected.slice(0, limit));
      assert.deepEqual([more, total], [expected.length > limit, expected.length]);
      if (!more || limit === 1) break;
      first = { at: entries.at(-1)!.key, behind: `${entries.at(-2)!.key}\0` }[goesOn];
    }
    for (const key of KEYS) {
      const entry = await this.#engine.get(key, at);
      assert.equal(entry && text(entry.value), state.get(key));
    }
  }

  async #catchUp(after_: Revision): Promise<void> {
    const model = this.#model;
    const message: string[] = [];
    const why = await new Promise<StorageFailure | undefined>((done) => {
      const changes = (batch: readonly Change[], upTo: Revision): void => {
        message.push(...batch.map(tell));
        if (upTo >= model.head) done(undefined);
      };
      this.#engine.follow('/', after_, { changes, lost: done }, new AbortController().signal);
      if (after_ === model.head) done(undefined);
    });
    if (after_ < model.compacted) assert.equal(why?.code, 'compacted');
    else assert.deepEqual([why, message], [undefined, model.changes.slice(after_ + 1)]);
  }
}

describe('engines beside a model', () => {
  const folders: string[] = [];
  /** A run that its time limit interrupts goes on, and writes, until its steps are done. */
  let last: Promise<unknown> = Promise.resolve();
  after(async () => {
    await Promise.allSettled([last]);
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
  });

  const check = (open: () => Promise<() => Promise<Engine>>, canReopen: boolean, numRuns: number): Promise<void> =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }), async (steps) => {
        const run = new Run(await open()).all(steps, canReopen);
        last = run;
        await run;
      }),
      { numRuns, interruptAfterTimeLimit: 8_000 },
    );

  it('memory behaves like it', () => check(async () => () => openEngine('memory://', { clock: new StillClock() }), false, 150));

  it('lmdb behaves like it, over restarts too', () =>
    check(
      async () => {
        const folder = await mkdtemp(join(tmpdir(), 'orch-model-'));
        folders.push(folder);
        return () => openEngine(`lmdb://${folder}`, { clock: new StillClock() });
      },
      true,
      60,
    ));

  it('sqlite behaves like it, over restarts too', { skip: NO_SQLITE }, () =>
    check(
      async () => {
        const folder = await mkdtemp(join(tmpdir(), 'orch-model-'));
        folders.push(folder);
        return () => openEngine(`sqlite://${folder}`, { clock: new StillClock() });
      },
      true,
      30,
    ));
});
