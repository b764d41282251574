import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { deferred, StillClock, type Clock } from '#base';
import type { ApiObject } from '#api';
import { StorageFailure, type Engine, type Given, type Revision } from './engine.ts';
import type { Decide, EventSink, Freshness, ObjectStore, Query, Stored, WatchEvent, WatchQuery, Written } from './object-store.ts';
import type { KindCodec } from './stored.ts';

export interface Note extends ApiObject {
  text?: string;
}

/** Counts what is encoded and what is looked into. */
export class NoteCodec implements KindCodec<Note> {
  encoded = 0;
  selected = 0;

  encode({ kind, apiVersion, metadata: { resourceVersion: _, ...metadata }, ...rest }: Note): Uint8Array {
    this.encoded++;
    return new TextEncoder().encode(JSON.stringify({ kind, apiVersion, metadata, ...rest }));
  }

  select = ({ text = '' }: Note): Record<string, string> => {
    this.selected++;
    return { text };
  };
}

export const PREFIX = '/registry/notes/';
export const note = (name: string, text: string, labels?: Record<string, string>): Note =>
  ({ kind: 'Note', apiVersion: 'v1', metadata: { name, namespace: 'n', ...(labels === undefined ? {} : { labels }) }, text });
const keyOfNote = (name: string, namespace = 'n'): string => `${PREFIX}${namespace}/${name}`;

/** Collects what a watch sends; waits for it without a clock. */
export class Collector implements EventSink<Note> {
  readonly events_: WatchEvent<Note>[] = [];
  ended: { readonly cause: Error | undefined } | undefined;
  ends = 0;
  room = Infinity;
  #waiting: { readonly until: () => boolean; readonly done: () => void }[] = [];

  events(batch: readonly WatchEvent<Note>[]): boolean {
    this.events_.push(...batch);
    this.#wake();
    return this.events_.length <= this.room;
  }

  end(cause?: Error): void {
    this.ended = { cause };
    this.ends++;
    this.#wake();
  }

  count(events: number): Promise<void> {
    return this.#until(() => this.events_.length >= events);
  }

  finished(): Promise<void> {
    return this.#until(() => this.ended !== undefined);
  }

  told(): string[] {
    return this.events_.map((event) =>
      event.type === 'BOOKMARK'
        ? `BOOKMARK ${event.revision}`
        : `${event.type} ${event.stored.object.metadata.name}=${event.stored.object.text} ${event.stored.object.metadata.resourceVersion}`,
    );
  }

  #until(until: () => boolean): Promise<void> {
    if (until()) return Promise.resolve();
    return new Promise((done) => this.#waiting.push({ until, done }));
  }

  #wake(): void {
    this.#waiting = this.#waiting.filter(({ until, done }) => {
      if (until()) done();
      return !until();
    });
  }
}

export interface SuiteStore {
  readonly store: ObjectStore<Note>;
  readonly engine: Engine;
  readonly codec: NoteCodec;
  close(): Promise<void>;
}

export interface SuiteOptions {
  /** The store knows changes that the engine has forgotten. */
  readonly remembersLonger?: boolean;
}

/** Registers what every `ObjectStore` must keep. */
export function objectStoreSuite(name: string, open: (clock: Clock) => Promise<SuiteStore>, { remembersLonger = false }: SuiteOptions = {}): void {
  describe(`object store ${name}`, () => {
    let opened: SuiteStore;
    let store: ObjectStore<Note>;
    let clock: StillClock;
    let watches: AbortController;

    beforeEach(async () => {
      clock = new StillClock();
      watches = new AbortController();
      setMaxListeners(0, watches.signal);
      opened = await open(clock);
      store = opened.store;
    });
    afterEach(async () => {
      watches.abort();
      await opened.close();
    });

    const taken = new Error('already exists');
    const create = (object: Note, hints = {}): Promise<Written<Note>> => {
      const decide: Decide<Note> = async (live) => {
        if (live !== undefined) throw taken;
        return { put: object };
      };
      return store.write(keyOfNote(object.metadata.name ?? '', object.metadata.namespace), decide, hints);
    };
    const update = (name: string, change: (live: Note) => void, hints = {}): Promise<Written<Note>> =>
      store.write(
        keyOfNote(name),
        async (live) => {
          assert.ok(live, `${name} is there`);
          const next = structuredClone(live);
          change(next);
          return { put: next };
        },
        hints,
      );
    const remove = (name: string, hints = {}): Promise<Written<Note>> => store.write(keyOfNote(name), async () => ({ remove: true }), hints);
    const setText = (text: string) => (live: Note) => void (live.text = text);
    const watch = async (query: Partial<WatchQuery<Note>> = {}, signal = watches.signal): Promise<Collector> => {
      const collector = new Collector();
      await store.watch({ prefix: PREFIX, since: 'latest', bookmarks: false, ...query }, collector, signal);
      return collector;
    };
    const names = async (query: Partial<Query<Note>> = {}): Promise<(string | undefined)[]> =>
      (await store.list({ prefix: PREFIX, freshness: 'latest', ...query })).items.map((item) => item.object.metadata.name);
    /** The outcome of what may first wait for a while. */
    const afterWaiting = async <R>(work: Promise<R>): Promise<R> => {
      const state = { isPending: true };
      const settled = work.finally(() => (state.isPending = false));
      settled.catch(() => {});
      while (state.isPending) {
        clock.turn(1_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return settled;
    };
    const isFailure = (code: string) => (error: unknown) => error instanceof StorageFailure && error.code === code;

    describe('write', () => {
      it('makes only under what is given, and asks again where that stands no longer', async () => {
        const place = await create(note('place', '1'));
        const known = { key: place.stored.key, revision: place.stored.revision };
        await update('place', setText('2'));
        const asked: boolean[] = [];
        const given = async (isAgain: boolean): Promise<readonly Given[]> => {
          asked.push(isAgain);
          if (!isAgain) return [known];
          const now = await store.get(known.key, 'latest');
          if (now === undefined) throw new Error('it is gone');
          return [{ key: known.key, revision: now.revision }];
        };
        const made = await create(note('a', '1'), { assume: 'absent', given });
        assert.deepEqual([made.did, asked.splice(0)], ['create', [false, true]]);
        await update('a', setText('2'), { given });
        assert.deepEqual(asked, [], 'what is there already is changed under whatever stands');
        await remove('place');
        await assert.rejects(create(note('b', '1'), { assume: 'absent', given }), /it is gone/);
        assert.deepEqual(await names(), ['a']);
      });

      it('R2.2-09 creates, replaces and removes, and shows the new resourceVersion', async () => {
        const made = await create(note('a', '1'));
        assert.deepEqual([made.did, made.stored.revision, made.stored.object.metadata.resourceVersion], ['create', 2, '2']);
        const changed = await update('a', setText('2'));
        assert.deepEqual([changed.did, changed.stored.object.text, changed.stored.object.metadata.resourceVersion], ['replace', '2', '3']);
        const gone = await remove('a');
        assert.deepEqual([gone.did, gone.stored.object.text, gone.stored.object.metadata.resourceVersion, gone.stored.revision], ['remove', '2', '3', 3]);
        assert.equal(await store.get(keyOfNote('a'), 'latest'), undefined);
      });

      it('gives the decider its own copy, with the resourceVersion', async () => {
        await create(note('a', '1'));
        const before = (await store.get(keyOfNote('a'), 'latest'))!;
        const { object } = before;
        await update('a', (live) => {
          assert.equal(live.metadata.resourceVersion, '2');
          live.text = 'changed';
        });
        assert.equal(object.text, '1');
        assert.equal(before.object.text, '1');
      });

      it('writes nothing when nothing changes or nothing is wanted', async () => {
        await create(note('a', '1'));
        const same = await update('a', () => {});
        assert.deepEqual([same.did, same.stored.revision], ['nothing', 2]);
        const kept = await store.write(keyOfNote('a'), async () => ({ keep: true }));
        assert.deepEqual([kept.did, kept.stored.revision], ['nothing', 2]);
        assert.equal(await opened.engine.head(), 2);
      });

      it('passes on what the decider throws, and has written nothing then', async () => {
        const mine = new Error('mine');
        await assert.rejects(
          store.write(keyOfNote('a'), async () => {
            throw mine;
          }),
          mine,
        );
        await create(note('a', '1'));
        await assert.rejects(create(note('a', '2')), taken);
        assert.equal(await opened.engine.head(), 2);
      });

      it('lets exactly one of 20 racing creates win', async () => {
        const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => create(note('a', `${i}`), { assume: 'absent' })));
        const won = outcomes.flatMap((outcome, i) => (outcome.status === 'fulfilled' ? [i] : []));
        assert.equal(won.length, 1);
        for (const outcome of outcomes) if (outcome.status === 'rejected') assert.equal(outcome.reason, taken);
        assert.equal((await store.get(keyOfNote('a'), 'latest'))?.object.text, `${won[0]}`);
      });

      it('loses nothing of 50 racing updates', async () => {
        await create(note('a', '0'));
        await Promise.all(Array.from({ length: 50 }, () => update('a', (live) => void (live.text = String(Number(live.text) + 1)))));
        assert.equal((await store.get(keyOfNote('a'), 'latest'))?.object.text, '50');
      });

      it('gives up after very many lost races', async () => {
        await create(note('a', '0'));
        let asked = 0;
        await assert.rejects(
          store.write(keyOfNote('a'), async (live) => {
            asked++;
            await update('a', setText(`${asked}`));
            return { put: { ...live!, text: 'never' } };
          }),
          isFailure('unavailable'),
        );
        assert.equal(asked, 100);
      });

      it('R4.8-09 does everything but write in a dry-run', async () => {
        const made = await create(note('a', '1'), { dryRun: true });
        assert.deepEqual([made.did, made.stored.revision, 'resourceVersion' in made.stored.object.metadata], ['create', 0, false]);
        await create(note('a', '1'));
        await assert.rejects(create(note('a', '2'), { dryRun: true }), taken);
        await assert.rejects(create(note('a', '2'), { dryRun: true, assume: 'absent' }), taken);
        const changed = await update('a', setText('2'), { dryRun: true });
        assert.deepEqual([changed.did, changed.stored.object.text, changed.stored.object.metadata.resourceVersion], ['replace', '2', '2']);
        const gone = await remove('a', { dryRun: true });
        assert.deepEqual([gone.did, gone.stored.object.text], ['remove', '1']);
        assert.equal((await store.get(keyOfNote('a'), 'latest'))?.object.text, '1');
        assert.equal(await opened.engine.head(), 2);
      });

      it('shows the last state of what it removes', async () => {
        await create(note('a', '1'));
        const gone = await store.write(keyOfNote('a'), async (live) => ({ remove: true, last: { ...live!, text: 'final' } }));
        assert.deepEqual([gone.stored.object.text, gone.stored.object.metadata.resourceVersion], ['final', '2']);
      });

      it('asks again when an assumption was wrong, whatever was decided from it', async () => {
        const stale = (await create(note('a', '1'))).stored.object;
        await update('a', setText('2'));
        const seen: (string | undefined)[] = [];
        const decide = (decision: 'put' | 'keep' | 'throw') => async (live: Note | undefined) => {
          seen.push(live?.text);
          if (live?.text === '2') return { keep: true } as const;
          if (decision === 'throw') throw new Error('misled');
          return decision === 'put' ? { put: { ...live!, text: 'x' } } : ({ keep: true } as const);
        };
        for (const decision of ['put', 'keep', 'throw'] as const) {
          const written = await store.write(keyOfNote('a'), decide(decision), { assume: stale });
          assert.equal(written.did, 'nothing');
          assert.equal(written.stored.revision, 3);
        }
        assert.deepEqual(seen, ['1', '2', '1', '2', '1', '2']);
      });

      it('takes what it has shown before for what stands there, and asks again when it was wrong', async () => {
        const { stored } = await create(note('a', '1'));
        const asked: (string | undefined)[] = [];
        const change = async (live: Note | undefined): Promise<{ put: Note }> => {
          asked.push(live?.text);
          return { put: { ...live!, text: `${live?.text}+` } };
        };
        await store.write(keyOfNote('a'), change, { seen: stored });
        const written = await store.write(keyOfNote('a'), change, { seen: stored });
        assert.deepEqual([asked, written.stored.object.text, written.stored.revision], [['1', '1', '1+'], '1++', 4]);
      });

      it('asks once when an assumption was right', async () => {
        const { object } = (await create(note('a', '1'))).stored;
        let asked = 0;
        const written = await store.write(
          keyOfNote('a'),
          async (live) => {
            asked++;
            return { put: { ...live!, text: '2' } };
          },
          { assume: object },
        );
        assert.deepEqual([asked, written.stored.revision], [1, 3]);
      });

      it('removes what has a time to live', async () => {
        const collector = await watch();
        await create(note('a', '1'), { ttlSeconds: 60 });
        clock.turn(60_000);
        await collector.count(2);
        assert.deepEqual(collector.told(), ['ADDED a=1 2', 'DELETED a=1 3']);
      });
    });

    describe('get', () => {
      it('R4.6-02 R4.6-03 R4.6-04 answers as new as asked', async () => {
        await create(note('a', '1'));
        await update('a', setText('2'));
        await create(note('b', '1'));
        const text = async (freshness: Freshness): Promise<string | undefined> => (await store.get(keyOfNote('a'), freshness))?.object.text;
        assert.deepEqual(await Promise.all([text('latest'), text('any'), text({ notOlderThan: 4 }), text({ exactly: 2 }), text({ exactly: 3 })]), ['2', '2', '2', '1', '2']);
        assert.equal(await text({ exactly: 1 }), undefined);
        await assert.rejects(afterWaiting(text({ notOlderThan: 5 })), isFailure('future'));
        await assert.rejects(text({ exactly: 5 }), isFailure('future'));
        await opened.engine.compact(3);
        await assert.rejects(text({ exactly: 2 }), isFailure('compacted'));
      });

      it('shows labels and fields', async () => {
        await create(note('a', 'hello', { app: 'x' }));
        const stored = (await store.get(keyOfNote('a'), 'latest'))!;
        assert.deepEqual({ ...stored.labels }, { app: 'x' });
        assert.deepEqual({ ...stored.fields }, { 'metadata.name': 'a', 'metadata.namespace': 'n', text: 'hello' });
      });
    });

    describe('list', () => {
      const fill = async (count: number): Promise<void> => {
        await Promise.all(Array.from({ length: count }, (_, i) => create(note(`n${String(i).padStart(4, '0')}`, `${i % 3}`))));
      };

      it('R4.4-01 R4.4-04 R4.4-05 R4.4-06 gives every item of one moment once, page by page', async () => {
        await fill(10);
        const first = await store.list({ prefix: PREFIX, freshness: 'latest', limit: 4 });
        assert.deepEqual([first.items.length, first.next, first.remaining, first.revision], [4, keyOfNote('n0004'), 6, 11]);
        await remove('n0005');
        await update('n0006', setText('new'));
        await create(note('n00055', 'later'));
        const page = { prefix: PREFIX, freshness: { exactly: first.revision }, limit: 4 } as const;
        const second = await store.list({ ...page, from: first.next! });
        const third = await store.list({ ...page, from: second.next! });
        assert.deepEqual([second.items.length, second.remaining, second.revision], [4, 2, 11]);
        assert.deepEqual([third.items.length, third.next, third.remaining, third.revision], [2, undefined, undefined, 11]);
        const all = [...first.items, ...second.items, ...third.items];
        assert.deepEqual(all.map((item) => `${item.object.metadata.name}=${item.object.text}`), Array.from({ length: 10 }, (_, i) => `n000${i}=${i % 3}`));
      });

      it('reads long collections in one state', async () => {
        await fill(1_203);
        assert.equal((await names()).length, 1_203);
        const limited = await store.list({ prefix: PREFIX, freshness: 'any', limit: 1_100 });
        assert.deepEqual([limited.items.length, limited.remaining, limited.next], [1_100, 103, keyOfNote('n1100')]);
      });

      it('pages through what matches', async () => {
        await fill(30);
        const matches = (stored: Stored<Note>): boolean => stored.fields['text'] === '1';
        const first = await store.list({ prefix: PREFIX, freshness: 'latest', limit: 6, matches });
        assert.deepEqual(first.items.map((item) => item.object.metadata.name), ['n0001', 'n0004', 'n0007', 'n0010', 'n0013', 'n0016']);
        assert.equal(first.remaining, undefined);
        const second = await store.list({ prefix: PREFIX, freshness: { exactly: first.revision }, limit: 6, matches, from: first.next! });
        assert.deepEqual(second.items.map((item) => item.object.metadata.name), ['n0019', 'n0022', 'n0025', 'n0028']);
        assert.equal(second.next, undefined);
      });

      it('keeps to its prefix, or to one key', async () => {
        await create(note('a', '1'));
        await create(note('ab', '1'));
        await store.write(`${PREFIX}other/a`, async () => ({ put: { ...note('a', '2'), metadata: { name: 'a', namespace: 'other' } } }));
        await store.write('/registry/notesx/n/a', async () => ({ put: note('a', '3') }));
        assert.deepEqual(await names(), ['a', 'ab', 'a']);
        assert.deepEqual(await names({ prefix: `${PREFIX}n/` }), ['a', 'ab']);
        assert.deepEqual(await names({ prefix: keyOfNote('a') }), ['a']);
        assert.deepEqual(await names({ prefix: `${PREFIX}none/` }), []);
        await assert.rejects(names({ from: '/registry/secrets/n/a' }), RangeError);
      });

      it('R4.6-09 R4.6-18 R4.6-35 is as new as asked', async () => {
        await create(note('a', '1'));
        await create(note('b', '1'));
        assert.deepEqual(await names({ freshness: { exactly: 2 } }), ['a']);
        assert.deepEqual(await names({ freshness: { notOlderThan: 2 } }), ['a', 'b']);
        await assert.rejects(afterWaiting(names({ freshness: { notOlderThan: 9 } })), isFailure('future'));
        await opened.engine.compact(3);
        await assert.rejects(names({ freshness: { exactly: 2 } }), isFailure('compacted'));
      });
    });

    describe('watch', () => {
      it('R4.5-02 R4.5-03 R4.5-04 R4.5-05 R4.6-32 R4.6-33 tells everything after a revision, and nothing before', async () => {
        await create(note('a', '1'));
        await update('a', setText('2'));
        const collector = await watch({ since: 2 });
        await create(note('b', '1'));
        await remove('a');
        await collector.count(3);
        assert.deepEqual(collector.told(), ['MODIFIED a=2 3', 'ADDED b=1 4', 'DELETED a=2 5']);
        assert.deepEqual(collector.events_.map((event) => event.revision), [3, 4, 5]);
      });

      it('R4.6-28 R4.6-29 R4.6-30 R4.6-31 begins with the present state when no revision is given', async () => {
        await create(note('a', '1'));
        await create(note('b', '1'));
        await update('a', setText('2'));
        for (const since of ['latest', 'any', 0] as const) {
          const collector = await watch({ since });
          await collector.count(2);
          assert.deepEqual(collector.told(), ['ADDED a=2 4', 'ADDED b=1 3']);
        }
        const collector = await watch();
        await update('b', setText('3'));
        await collector.count(3);
        assert.equal(collector.told()[2], 'MODIFIED b=3 5');
      });

      it('shows an entry that begins or stops to match as one that comes or goes', async () => {
        const matches = (stored: Stored<Note>): boolean => stored.labels['app'] === 'x';
        await create(note('a', '1', { app: 'y' }));
        const collector = await watch({ matches });
        await update('a', (live) => void (live.metadata.labels = { app: 'x' }));
        await update('a', setText('2'));
        await update('a', (live) => {
          live.metadata.labels = {};
          live.text = '3';
        });
        await update('a', setText('4'));
        await create(note('b', '1', { app: 'x' }));
        await remove('b');
        await collector.count(5);
        assert.deepEqual(collector.told(), ['ADDED a=1 3', 'MODIFIED a=2 4', 'DELETED a=2 5', 'ADDED b=1 7', 'DELETED b=1 8']);
        assert.deepEqual({ ...(collector.events_[2] as { stored: Stored<Note> }).stored.labels }, { app: 'x' });
      });

      it('watches a namespace or one name', async () => {
        const space = await watch({ prefix: `${PREFIX}n/` });
        const one = await watch({ prefix: keyOfNote('a') });
        await create(note('a', '1'));
        await create(note('ab', '1'));
        await create({ ...note('a', '2'), metadata: { name: 'a', namespace: 'm' } });
        await update('a', setText('3'));
        await Promise.all([space.count(3), one.count(2)]);
        assert.deepEqual(space.told(), ['ADDED a=1 2', 'ADDED ab=1 3', 'MODIFIED a=3 5']);
        assert.deepEqual(one.told(), ['ADDED a=1 2', 'MODIFIED a=3 5']);
        const late = await Promise.all([watch({ since: 1, prefix: `${PREFIX}n/` }), watch({ since: 1, prefix: keyOfNote('a') })]);
        await Promise.all([late[0].count(3), late[1].count(2)]);
        await create(note('z', '1'));
        await late[0].count(4);
        assert.deepEqual(late[0].told(), [...space.told().slice(0, 3), 'ADDED z=1 6']);
        assert.deepEqual(late[1].told(), one.told());
      });

      it('R4.6-37 waits for a revision that is not reached yet', async () => {
        const collector = await watch({ since: 3 });
        for (const name of ['a', 'b', 'c']) await create(note(name, '1'));
        await collector.count(1);
        assert.deepEqual(collector.told(), ['ADDED c=1 4']);
      });

      it('ends with the reason when its start is forgotten', { skip: remembersLonger && 'this store remembers it' }, async () => {
        for (const name of ['a', 'b', 'c']) await create(note(name, '1'));
        await watch();
        await opened.engine.compact(3);
        const collector = await watch({ since: 2 });
        await collector.finished();
        assert.ok(isFailure('compacted')(collector.ended?.cause));
        assert.deepEqual(collector.events_, []);
      });

      it('ends the watch of a receiver that is full, and only that', async () => {
        const full = await watch({ since: 1 });
        full.room = 1;
        const other = await watch({ since: 1 });
        for (const name of ['a', 'b', 'c']) await create(note(name, '1'));
        await other.count(3);
        await full.finished();
        assert.equal(full.events_.length, 2);
        assert.equal(full.ended?.cause, undefined);
        assert.equal(full.ends, 1);
      });

      it('ends once when told to, and is quiet then', async () => {
        const abort = new AbortController();
        const collector = await watch({ since: 1 }, abort.signal);
        const other = await watch({ since: 1 });
        abort.abort();
        await create(note('a', '1'));
        await other.count(1);
        assert.deepEqual([collector.events_.length, collector.ends], [0, 1]);
        const early = await watch({}, abort.signal);
        assert.deepEqual([early.events_.length, early.ends], [0, 1]);
      });

      it('R4.5-07 R4.5-09 sends a bookmark once a minute to those who want it', async () => {
        const with_ = await watch({ since: 1, bookmarks: true });
        const without = await watch({ since: 1 });
        await create(note('a', '1'));
        await with_.count(1);
        clock.turn(60_000);
        clock.turn(60_000);
        assert.deepEqual(with_.told(), ['ADDED a=1 2', 'BOOKMARK 2', 'BOOKMARK 2']);
        assert.deepEqual(without.told(), ['ADDED a=1 2']);
      });

      it('R4.5-07 sends a last bookmark shortly before its end to those who want it', async () => {
        const ends = await watch({ since: 1, bookmarks: true, endsInMs: 30_000 });
        const brief = await watch({ since: 1, bookmarks: true, endsInMs: 2_000 });
        const without = await watch({ since: 1, bookmarks: false, endsInMs: 30_000 });
        await create(note('a', '1'));
        await Promise.all([ends, brief, without].map((collector) => collector.count(1)));
        clock.turn(27_999);
        assert.deepEqual(ends.told(), ['ADDED a=1 2']);
        clock.turn(1);
        assert.deepEqual(ends.told(), ['ADDED a=1 2', 'BOOKMARK 2']);
        assert.deepEqual([brief.told(), without.told()], [['ADDED a=1 2'], ['ADDED a=1 2']]);
      });

      it('R4.5-07 sends the last bookmark in time also where the receiver took long to take the state', async () => {
        await create(note('a', '1'));
        const collector = new Collector();
        const taken = deferred<void>();
        const slow: EventSink<Note> = { events: (batch) => collector.events(batch), drained: () => taken.promise, end: (cause) => collector.end(cause) };
        const begun = store.watch({ prefix: PREFIX, since: 'latest', bookmarks: true, endsInMs: 30_000 }, slow, watches.signal);
        await collector.count(1);
        clock.turn(20_000);
        taken.resolve();
        await begun;
        clock.turn(8_000);
        assert.deepEqual(collector.told(), ['ADDED a=1 2', 'BOOKMARK 2']);
      });

      it('no bookmark says that a revision was reached that is not there yet', async () => {
        const ahead = await watch({ since: 7, bookmarks: true, endsInMs: 90_000 });
        clock.turn(60_000);
        clock.turn(29_000);
        assert.deepEqual(ahead.told(), []);
        for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await create(note(name, '1'));
        await ahead.count(1);
        assert.deepEqual(ahead.told(), ['ADDED g=1 8']);
      });

      it('sends a long first state as fast as it is taken, and misses nothing meanwhile', async () => {
        const names = Array.from({ length: 1_200 }, (_, i) => `n${String(i).padStart(4, '0')}`);
        await Promise.all(names.map((name) => create(note(name, '1'))));
        const collector = new Collector();
        let taken = deferred<void>();
        const slow: EventSink<Note> = {
          events: (batch) => collector.events(batch),
          end: (cause) => collector.end(cause),
          drained: () => taken.promise,
        };
        const started = store.watch({ prefix: PREFIX, since: 'latest', bookmarks: false }, slow, watches.signal);
        await collector.count(1);
        const first = collector.events_.length;
        assert.ok(first < names.length, `${first} at once`);
        await remove('n0001');
        await update('n1199', setText('2'));
        taken.resolve();
        await started;
        await collector.count(names.length + 2);
        assert.deepEqual(collector.told().slice(-2), ['DELETED n0001=1 1202', 'MODIFIED n1199=2 1203']);
        assert.equal(new Set(collector.told()).size, names.length + 2);
        taken = deferred<void>();
        const abort = new AbortController();
        const stuck = store.watch({ prefix: PREFIX, since: 'latest', bookmarks: false }, slow, abort.signal);
        await collector.count(names.length + 3);
        abort.abort();
        await stuck;
        assert.equal(collector.ends, 1);
      });

      it('bookmarks tell progress of other resources too', async () => {
        const collector = await watch({ since: 1, bookmarks: true });
        await store.write('/registry/other/a', async () => ({ put: note('a', '1') }));
        const mark = await watch();
        await create(note('b', '1'));
        await mark.count(1);
        clock.turn(60_000);
        assert.equal(collector.told()[1], 'BOOKMARK 3');
      });

      it('list and watch make the state, for watchers that come at any moment', async () => {
        const replay = (collector: Collector, since: Map<string, string>): Map<string, string> => {
          let last: Revision = 0;
          for (const event of collector.events_) {
            if (event.type === 'BOOKMARK') continue;
            const { key, object } = event.stored;
            if (event.type === 'DELETED') assert.ok(since.delete(key), 'deletes what is there');
            else {
              assert.equal(since.has(key), event.type === 'MODIFIED', `${event.type} ${key}`);
              since.set(key, object.text ?? '');
            }
            if (event.revision < last) assert.equal(event.type, 'ADDED');
            last = event.revision;
          }
          return since;
        };
        const started: { readonly collector: Collector; readonly state: Map<string, string> }[] = [];
        const writer = async (id: number): Promise<void> => {
          for (let i = 0; i < 40; i++) {
            const name = `w${id}-${i % 5}`;
            await store.write(keyOfNote(name), async (live) =>
              live !== undefined && i % 4 === 3 ? { remove: true } : { put: note(name, `${i}`) },
            );
            if (i % 8 !== id) continue;
            const { items, revision } = await store.list({ prefix: PREFIX, freshness: 'latest' });
            started.push({ collector: await watch({ since: revision }), state: new Map(items.map((item) => [item.key, item.object.text ?? ''])) });
            started.push({ collector: await watch({ since: 'latest' }), state: new Map() });
          }
        };
        await Promise.all(Array.from({ length: 8 }, (_, id) => writer(id)));
        const end = await create(note('end', 'end'));
        const { items } = await store.list({ prefix: PREFIX, freshness: 'latest' });
        const expected = items.map((item) => `${item.key}=${item.object.text}`).sort();
        for (const { collector, state } of started) {
          while (collector.events_[collector.events_.length - 1]?.revision !== end.stored.revision) await collector.count(collector.events_.length + 1);
          assert.deepEqual([...replay(collector, state)].map(([key, text]) => `${key}=${text}`).sort(), expected);
        }
        assert.equal(started.length, 80);
      });

      it('encodes once, and hands the same entry to all watchers and readers', async () => {
        const collectors = await Promise.all(Array.from({ length: 10 }, () => watch({ since: 1 })));
        const { stored } = await create(note('a', '1'));
        await Promise.all(collectors.map((collector) => collector.count(1)));
        const seen = collectors.map((collector) => (collector.events_[0] as { stored: Stored<Note> }).stored);
        const read = await store.get(keyOfNote('a'), 'latest');
        assert.ok(seen.every((one) => one === stored) && read === stored);
        assert.equal(opened.codec.encoded, 1);
        assert.equal(stored.json, read.json);
      });
    });
  });
}
