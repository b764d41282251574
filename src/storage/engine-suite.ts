import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { SetClock, type Clock } from '#base';
import { StorageFailure, type Change, type Commit, type Engine, type Key, type Revision } from './engine.ts';

export const HISTORY_SECONDS = 300;
const DAY_MS = 86_400_000;

export interface SuiteEngines {
  /** A fresh, empty store. */
  open(clock: Clock): Promise<Engine>;
  /** The same store again, after it was closed; absent for engines that forget. */
  reopen?(clock: Clock): Promise<Engine>;
  /** After the last test. */
  clean?(): Promise<void>;
  /** Keys expire, and history is trimmed, by a clock in the store and not by the one that is handed in. */
  readonly hasOwnTime?: boolean;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (value: Uint8Array | undefined): string | undefined => value && new TextDecoder().decode(value);

/** Follows and lets tests wait for a revision, without any clock. */
class Recorder {
  readonly changes: Change[] = [];
  upTo: Revision;
  lost: StorageFailure | undefined;
  readonly #abort = new AbortController();
  #waiting: { readonly until: () => boolean; readonly done: () => void }[] = [];

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
          this.#wake();
        },
        lost: (why) => {
          this.lost = why;
          this.#wake();
        },
      },
      this.#abort.signal,
    );
  }

  stop(): void {
    this.#abort.abort();
  }

  reached(revision: Revision): Promise<void> {
    return this.#until(() => this.upTo >= revision);
  }

  ended(): Promise<void> {
    return this.#until(() => this.lost !== undefined);
  }

  told(): string[] {
    return this.changes.map((change) => `${change.revision} ${change.key}=${text(change.value) ?? '-'} was ${text(change.before?.value) ?? '-'}`);
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

/** Registers what every engine must keep: the laws in the header of `engine.ts`. */
export function engineSuite(name: string, engines: SuiteEngines): void {
  describe(`engine ${name}`, () => {
    let engine: Engine;
    let clock: SetClock;

    beforeEach(async () => {
      clock = new SetClock();
      engine = await engines.open(clock);
    });
    afterEach(() => engine.close());
    after(() => engines.clean?.());

    const put = async (key: Key, value: string, expect: Revision | 'whatever' = 'whatever', ttlSeconds?: number): Promise<Revision> => {
      const found = expect === 'whatever' ? ((await engine.get(key))?.revision ?? 0) : expect;
      const commit = await engine.commit({ key, expect: found, value: bytes(value), ...(ttlSeconds === undefined ? {} : { ttlSeconds }) });
      assert.ok(commit.done, `put ${key} lost`);
      return commit.revision;
    };
    const remove = async (key: Key): Promise<Revision> => {
      const commit = await engine.commit({ key, expect: (await engine.get(key))?.revision ?? 0 });
      assert.ok(commit.done, `remove ${key} lost`);
      return commit.revision;
    };
    const all = async (at?: Revision): Promise<string[]> => {
      const page = await engine.scan({ start: '/', end: '0', ...(at === undefined ? {} : { at }) });
      return page.entries.map((entry) => `${entry.key}=${text(entry.value)}`);
    };
    /** Time passes in steps, maintenance gets its turn in each. An empty compaction waits for what is under way. */
    const pass = async (seconds: number): Promise<void> => {
      for (let left = seconds; left > 0; left -= 6) {
        clock.turn(Math.min(left, 6) * 1000);
        await engine.compact(1);
      }
    };
    const isFailure = (code: string, revision?: Revision) => (error: unknown) =>
      error instanceof StorageFailure && error.code === code && (revision === undefined || error.revision === revision);

    describe('commit', () => {
      it('R2.2-09 counts one revision up for each commit of any key, from 1 on an empty store', async () => {
        assert.equal(await engine.head(), 1);
        assert.equal(await put('/a', 'x'), 2);
        assert.equal(await put('/b', 'y'), 3);
        assert.equal(await remove('/a'), 4);
        assert.equal(await engine.head(), 4);
        assert.equal((await engine.get('/b'))?.revision, 3);
      });

      it('refuses what does not meet the expectation, says what stands there, and uses up no revision', async () => {
        await put('/a', 'x');
        const create = await engine.commit({ key: '/a', expect: 0, value: bytes('z') });
        assert.deepEqual([create.done, !create.done && text(create.found?.value), !create.done && create.found?.revision], [false, 'x', 2]);
        const absent = await engine.commit({ key: '/none', expect: 2, value: bytes('z') });
        assert.deepEqual(absent, { done: false, found: undefined });
        assert.deepEqual(await engine.commit({ key: '/none', expect: 0 }), { done: false, found: undefined });
        assert.equal((await engine.commit({ key: '/a', expect: 1 })).done, false);
        assert.equal(await engine.head(), 2);
        assert.deepEqual(await all(), ['/a=x']);
      });

      it('lets exactly one of 20 racing creates win', async () => {
        const commits = await Promise.all(Array.from({ length: 20 }, (_, i) => engine.commit({ key: '/a', expect: 0, value: bytes(`w${i}`) })));
        const winners = commits.flatMap((commit, i) => (commit.done ? [i] : []));
        assert.equal(winners.length, 1);
        for (const commit of commits) if (!commit.done) assert.equal(text(commit.found?.value), `w${winners[0]}`);
        assert.deepEqual(await all(), [`/a=w${winners[0]}`]);
      });

      it('loses nothing of 50 racing updates', async () => {
        await put('/n', '0');
        const increment = async (): Promise<Revision> => {
          let live = await engine.get('/n');
          for (;;) {
            const next = String(Number(text(live?.value)) + 1);
            const commit: Commit = await engine.commit({ key: '/n', expect: live?.revision ?? 0, value: bytes(next) });
            if (commit.done) return commit.revision;
            live = commit.found;
          }
        };
        const revisions = await Promise.all(Array.from({ length: 50 }, increment));
        assert.equal(text((await engine.get('/n'))?.value), '50');
        assert.equal(new Set(revisions).size, 50);
      });

      it('keeps the order in which commits begin, where it says so', async () => {
        const commits = await Promise.all(Array.from({ length: 60 }, (_, i) => engine.commit({ key: `/k${59 - i}`, expect: 0, value: bytes('x') })));
        const revisions = commits.map((commit) => (commit.done ? commit.revision : 0));
        const inOrder = Array.from({ length: 60 }, (_, i) => i + 2);
        assert.deepEqual(engine.keepsOrder ? revisions : revisions.sort((a, b) => a - b), inOrder);
      });

      it('orders a create, its update and its removal that come in one moment', async () => {
        const [a, b, c, d] = await Promise.all([
          engine.commit({ key: '/a', expect: 0, value: bytes('1') }),
          engine.commit({ key: '/a', expect: 2, value: bytes('2') }),
          engine.commit({ key: '/a', expect: 3 }),
          engine.commit({ key: '/a', expect: 0, value: bytes('3') }),
        ]);
        assert.deepEqual([a.done, b.done, c.done, d.done], [true, true, true, true]);
        assert.deepEqual(await all(), ['/a=3']);
        assert.deepEqual(await all(2), ['/a=1']);
        assert.deepEqual(await all(3), ['/a=2']);
        assert.deepEqual(await all(4), []);
      });

      it('writes only while what is given stands, and says where it does not', async () => {
        const given = [{ key: '/given', revision: await put('/given', '1') }];
        assert.deepEqual(await engine.commit({ key: '/a', expect: 0, value: bytes('x'), given }), { done: true, revision: 3 });
        await put('/given', '2');
        const lapsed = await engine.commit({ key: '/b', expect: 0, value: bytes('x'), given });
        assert.deepEqual(lapsed, { done: false, found: undefined, lapsed: true });
        const lost = await engine.commit({ key: '/a', expect: 0, value: bytes('x'), given });
        assert.deepEqual([lost.done, !lost.done && lost.found?.revision, !lost.done && lost.lapsed], [false, 3, undefined]);
        await remove('/given');
        assert.deepEqual(await engine.commit({ key: '/b', expect: 0, value: bytes('x'), given }), lapsed);
        assert.deepEqual(await all(), ['/a=x']);
      });

      it('sees what is given as it stands after the writes of the same moment', async () => {
        const given = [{ key: '/given', revision: await put('/given', '1') }];
        const [removed, late] = await Promise.all([engine.commit({ key: '/given', expect: 2 }), engine.commit({ key: '/a', expect: 0, value: bytes('x'), given })]);
        assert.equal(removed.done, true);
        if (engine.keepsOrder) assert.deepEqual(late, { done: false, found: undefined, lapsed: true });
      });

      it('keeps empty, binary and large values and long keys', async () => {
        const large = new Uint8Array(2_000_000).map((_, i) => i * 7);
        const key = `/long/${'k'.repeat(600)}/é/😀`;
        await engine.commit({ key, expect: 0, value: large });
        await engine.commit({ key: '/empty', expect: 0, value: new Uint8Array() });
        assert.deepEqual(Buffer.from((await engine.get(key))!.value).equals(large), true);
        assert.equal((await engine.get('/empty'))?.value.length, 0);
      });
    });

    describe('scan', () => {
      it('goes in order of the bytes of the keys and stays inside its range', async () => {
        for (const key of ['/b', '/a/z', '/a/\u{1f600}', '/a/\uff5e', '/a', '/a.b', '/a/b', '/a/é', '/a0']) await put(key, 'v');
        const { entries } = await engine.scan({ start: '/a/', end: '/a0' });
        assert.deepEqual(entries.map((entry) => entry.key), ['/a/b', '/a/z', '/a/é', '/a/\uff5e', '/a/\u{1f600}']);
      });

      it('pages and counts', async () => {
        for (let i = 0; i < 7; i++) await put(`/k/${i}`, `${i}`);
        await put('/l/0', 'other');
        const range = { start: '/k/', end: '/k0' };
        const first = await engine.scan({ ...range, limit: 3, count: true });
        assert.deepEqual([first.entries.length, first.more, first.total, first.revision], [3, true, 7, 9]);
        const second = await engine.scan({ ...range, start: '/k/2', limit: 5, count: true, at: first.revision });
        assert.deepEqual([second.entries.length, second.more, second.total], [5, false, 5]);
        const third = await engine.scan({ ...range, start: '/k/2', limit: 2, count: true, at: first.revision });
        assert.deepEqual([third.entries.length, third.more, third.total], [2, true, 5]);
        assert.equal((await engine.scan({ ...range, limit: 7 })).more, false);
        assert.equal((await engine.scan(range)).total, undefined);
      });

      it('may end a page by its weight where that is asked for, behind the second entry at the earliest', async () => {
        const keys = Array.from({ length: 200 }, (_, i) => `/k/${100 + i}`);
        await Promise.all(keys.map((key) => put(key, 'x'.repeat(3_000))));
        const at = await engine.head();
        await Promise.all(keys.map((key) => put(key, 'x'.repeat(3_000))));
        for (const moment of [{}, { at }]) {
          const found: Key[] = [];
          for (let more = true; more; ) {
            const page = await engine.scan({ start: found.length === 0 ? '/k/' : `${found.at(-1)}\0`, end: '/k0', maxBytes: 2_500, count: true, ...moment });
            assert.equal(page.total, keys.length - found.length);
            found.push(...page.entries.map(({ key }) => key));
            more = page.more;
            assert.ok(page.entries.length > 1 || !more);
          }
          assert.deepEqual(found, keys);
        }
      });

      it('R4.4-04 goes on right behind a key, whatever key comes next, now and as of before', async () => {
        const keys = ['/k/a', '/k/a!', '/k/a-b', '/k/a/b', '/k/ab', '/k/b'];
        for (const key of keys) await put(key, 'x');
        const at = await engine.head();
        for (const key of keys) await put(key, 'y');
        for (const [position, key] of keys.entries()) {
          for (const moment of [{}, { at }]) {
            const { entries } = await engine.scan({ start: `${key}\0`, end: '/k0', ...moment });
            assert.deepEqual(entries.map((entry) => entry.key), keys.slice(position + 1), key);
          }
        }
      });

      it('R4.4-05 shows every page as of the revision asked for, whatever happened since', async () => {
        for (let i = 0; i < 10; i++) await put(`/k/${i}`, 'old');
        const at = await engine.head();
        for (let i = 0; i < 10; i += 2) await put(`/k/${i}`, 'new');
        await remove('/k/1');
        await put('/k/55', 'later');
        const first = await engine.scan({ start: '/k/', end: '/k0', limit: 4, at, count: true });
        const second = await engine.scan({ start: '/k/4', end: '/k0', limit: 10, at, count: true });
        assert.deepEqual([...first.entries, ...second.entries].map((entry) => `${entry.key}=${text(entry.value)}`), Array.from({ length: 10 }, (_, i) => `/k/${i}=old`));
        assert.deepEqual([first.total, second.total, first.revision, second.revision], [10, 6, at, at]);
      });

      it('finds the right value among very many of one key', async () => {
        await put('/k/a', 'a');
        await put('/k/z', 'z');
        for (let i = 0; i < 150; i++) await put('/k/hot', `${i}`);
        await put('/k/b', 'late');
        for (const i of [0, 20, 33, 75, 149]) assert.deepEqual(await all(4 + i), ['/k/a=a', `/k/hot=${i}`, '/k/z=z']);
        assert.deepEqual(await all(3), ['/k/a=a', '/k/z=z']);
      });
    });

    describe('history', () => {
      it('R4.6-18 answers exactly the revision asked for', async () => {
        await put('/a', '1');
        await put('/b', '1');
        await put('/a', '2');
        await remove('/b');
        await put('/b', '3');
        assert.deepEqual(await Promise.all([1, 2, 3, 4, 5, 6].map(all)), [
          [],
          ['/a=1'],
          ['/a=1', '/b=1'],
          ['/a=2', '/b=1'],
          ['/a=2'],
          ['/a=2', '/b=3'],
        ]);
        assert.equal(text((await engine.get('/a', 3))?.value), '1');
        assert.equal((await engine.get('/a', 3))?.revision, 2);
        assert.equal(await engine.get('/b', 5), undefined);
      });

      it('R4.6-34 says which revision is the oldest when an older one is asked for, and what is newest for a later one', async () => {
        for (let i = 0; i < 5; i++) await put('/a', `${i}`);
        await remove('/a');
        await put('/b', 'b');
        await engine.compact(5);
        await assert.rejects(engine.get('/a', 4), isFailure('compacted', 5));
        await assert.rejects(engine.scan({ start: '/', end: '0', at: 1 }), isFailure('compacted', 5));
        assert.deepEqual(await all(5), ['/a=3']);
        assert.deepEqual(await all(6), ['/a=4']);
        assert.deepEqual(await all(7), []);
        await engine.compact(3);
        assert.deepEqual(await all(5), ['/a=3']);
        await assert.rejects(engine.get('/a', 9), isFailure('future', 8));
        await assert.rejects(engine.scan({ start: '/', end: '0', at: 9 }), isFailure('future', 8));
        await assert.rejects(engine.compact(9), isFailure('future', 8));
      });

      it('keeps what stands through every compaction', async () => {
        await put('/a', 'a');
        await put('/b', 'b');
        await remove('/b');
        await engine.compact(await engine.head());
        assert.deepEqual(await all(), ['/a=a']);
        assert.equal(await put('/b', 'again', 0), 5);
        await engine.compact(5);
        assert.deepEqual(await all(5), ['/a=a', '/b=again']);
        assert.equal(await engine.head(), 5);
      });

      it('is forgotten to the end, however much it is', async () => {
        const many = (): Promise<unknown> => Promise.all(Array.from({ length: 700 }, (_, i) => put(`/k${i}`, 'x')));
        await many();
        await many();
        const head = await engine.head();
        await engine.compact(head);
        await assert.rejects(engine.get('/k0', head - 1), isFailure('compacted', head));
        assert.equal((await all()).length, 700);
      });

      if (engines.hasOwnTime === true) return;

      it('is trimmed by time, and not before it is over', async () => {
        await put('/a', '1');
        await put('/a', '2');
        clock.turn((HISTORY_SECONDS - 20) * 1000);
        await put('/a', '3');
        assert.deepEqual(await all(2), ['/a=1']);
        await pass(30);
        await assert.rejects(all(2), isFailure('compacted', 3));
        assert.deepEqual(await all(3), ['/a=2']);
        await pass(HISTORY_SECONDS);
        await assert.rejects(all(3), isFailure('compacted', 4));
        assert.deepEqual(await all(4), ['/a=3']);
      });

      it('is trimmed in its time also where the clock was ahead and is put back', async () => {
        await put('/a', '1');
        await put('/a', '2');
        clock.put(DAY_MS);
        await put('/a', '3');
        clock.put(-2 * DAY_MS);
        await put('/a', '4');
        await put('/a', '5');
        await pass(HISTORY_SECONDS + 10);
        await assert.rejects(all(5), isFailure('compacted', 6));
        assert.deepEqual(await all(6), ['/a=5']);
      });
    });

    describe('feed', () => {
      it('R4.5-02 tells every change under the prefix once and in order, with what stood there before', async () => {
        const recorder = new Recorder(engine, '/a/', 1);
        await put('/a/1', 'x');
        await put('/b/1', 'other');
        await put('/a/1', 'y');
        await put('/a', 'not under it');
        await remove('/a/1');
        await recorder.reached(6);
        assert.deepEqual(recorder.told(), ['2 /a/1=x was -', '4 /a/1=y was x', '6 /a/1=- was y']);
        assert.equal(recorder.changes[1]?.before?.revision, 2);
      });

      it('reports progress of other keys too', async () => {
        const recorder = new Recorder(engine, '/a/', 1);
        await put('/b', 'x');
        await recorder.reached(2);
        assert.deepEqual(recorder.changes, []);
      });

      it('starts anywhere in what is kept', async () => {
        for (let i = 0; i < 5; i++) await put('/a', `${i}`);
        await engine.compact(4);
        const recorder = new Recorder(engine, '/', 4);
        await recorder.reached(6);
        assert.deepEqual(recorder.told(), ['5 /a=3 was 2', '6 /a=4 was 3']);
        const fresh = new Recorder(engine, '/', 6);
        await put('/a', '5');
        await fresh.reached(7);
        assert.deepEqual(fresh.told(), ['7 /a=5 was 4']);
      });

      it('is lost when it starts before what is kept', async () => {
        for (let i = 0; i < 5; i++) await put('/a', `${i}`);
        await engine.compact(4);
        const recorder = new Recorder(engine, '/', 3);
        await recorder.ended();
        assert.ok(isFailure('compacted', 4)(recorder.lost));
        assert.deepEqual(recorder.changes, []);
      });

      it('R4.6-37 waits for a revision that does not exist yet', async () => {
        const recorder = new Recorder(engine, '/', 3);
        for (let i = 0; i < 4; i++) await put('/a', `${i}`);
        await recorder.reached(5);
        assert.deepEqual(recorder.told(), ['4 /a=2 was 1', '5 /a=3 was 2']);
      });

      it('ends when told to and when the store is closed', async () => {
        const stopped = new Recorder(engine, '/', 1);
        const other = new Recorder(engine, '/', 1);
        await put('/a', '1');
        await stopped.reached(2);
        stopped.stop();
        await put('/a', '2');
        await other.reached(3);
        assert.equal(stopped.changes.length, 1);
        await engine.close();
        await other.ended();
        assert.ok(isFailure('unavailable')(other.lost));
        assert.equal(stopped.lost, undefined);
        const late = new Recorder(engine, '/', 1);
        await late.ended();
        assert.ok(isFailure('unavailable')(late.lost));
        await assert.rejects(engine.get('/a'), isFailure('unavailable'));
      });

      it('survives a follower that throws', async () => {
        const bad = { lost: undefined as StorageFailure | undefined };
        const feed = {
          changes() {
            throw new Error('broken');
          },
          lost: (why: StorageFailure) => void (bad.lost = why),
        };
        engine.follow('/', 1, feed, new AbortController().signal);
        const good = new Recorder(engine, '/', 1);
        await put('/a', '1');
        await put('/a', '2');
        await good.reached(3);
        assert.equal(good.changes.length, 2);
        assert.ok(isFailure('unavailable')(bad.lost));
      });

      it('has no gap and no repetition for followers that come while others write', async () => {
        const recorders: Recorder[] = [];
        const writer = async (id: number): Promise<void> => {
          for (let i = 0; i < 60; i++) {
            await put(`/w/${id}`, `${i}`);
            if (i % 10 === id % 10) recorders.push(new Recorder(engine, '/w/', 1 + ((i * 7) % (await engine.head()))));
          }
        };
        const starts: Revision[] = [];
        await Promise.all(Array.from({ length: 10 }, (_, id) => writer(id)));
        const head = await engine.head();
        assert.equal(head, 601);
        for (const recorder of recorders) {
          await recorder.reached(head);
          const revisions = recorder.changes.map((change) => change.revision);
          starts.push(revisions[0]!);
          assert.deepEqual(revisions, Array.from({ length: head + 1 - revisions[0]! }, (_, i) => revisions[0]! + i));
          for (const change of recorder.changes) assert.ok((change.before?.revision ?? 0) < change.revision);
        }
        assert.ok(new Set(starts).size > 20, 'followers started at different revisions');
      });
    });

    /** By the store's own clock: nothing is told to pass, and what is due shows in the feed. */
    if (engines.hasOwnTime === true) {
      describe('time to live', () => {
        it('deletes when it is over and not before, and says so in the feed', async () => {
          const recorder = new Recorder(engine, '/', 1);
          const startMs = performance.now();
          await put('/short', 's', 0, 1);
          await put('/long', 'l', 0, 3_600);
          await put('/kept', 'k', 0);
          await recorder.reached(5);
          assert.ok(performance.now() - startMs >= 1_000);
          assert.equal(recorder.told()[3], '5 /short=- was s');
          assert.deepEqual(await all(), ['/kept=k', '/long=l']);
        });

        it('is set anew, or lifted, by the next write', async () => {
          const recorder = new Recorder(engine, '/', 1);
          await put('/renewed', '1', 0, 1);
          await put('/lifted', '1', 0, 1);
          await put('/again', '1', 0, 1);
          await put('/renewed', '2', 2, 3_600);
          await put('/lifted', '2', 3);
          await remove('/again');
          await put('/again', '2', 0);
          await put('/mark', 'm', 0, 1);
          await recorder.reached(10);
          assert.equal(recorder.told()[8], '10 /mark=- was m');
          assert.deepEqual(await all(), ['/again=2', '/lifted=2', '/renewed=2']);
        });
      });
    } else describe('time to live', () => {
      it('deletes when it is over, and says so in the feed', async () => {
        const recorder = new Recorder(engine, '/', 1);
        await put('/short', 's', 0, 10);
        await put('/long', 'l', 0, 100);
        await put('/kept', 'k', 0);
        clock.turn(9_999);
        assert.deepEqual(await all(), ['/kept=k', '/long=l', '/short=s']);
        clock.turn(1);
        await recorder.reached(5);
        assert.equal(recorder.told()[3], '5 /short=- was s');
        clock.turn(90_000);
        await recorder.reached(6);
        assert.deepEqual(await all(), ['/kept=k']);
      });

      it('is set anew, or lifted, by the next write', async () => {
        const recorder = new Recorder(engine, '/', 1);
        await put('/renewed', '1', 0, 10);
        await put('/lifted', '1', 0, 10);
        await put('/again', '1', 0, 10);
        clock.turn(5_000);
        await put('/renewed', '2', 2, 10);
        await put('/lifted', '2', 3);
        await remove('/again');
        await put('/again', '2', 0);
        clock.turn(9_000);
        await put('/mark', 'm');
        assert.deepEqual(await all(), ['/again=2', '/lifted=2', '/mark=m', '/renewed=2']);
        clock.turn(1_000);
        await recorder.reached(10);
        assert.deepEqual(await all(), ['/again=2', '/lifted=2', '/mark=m']);
      });
    });

    const { reopen } = engines;
    if (reopen === undefined) return;

    describe('opened again', () => {
      it('R2.2-09 goes on counting where it stopped, even when the last change was a removal that is forgotten', async () => {
        await put('/a', '1');
        await put('/b', '1');
        await remove('/b');
        await engine.compact(4);
        await engine.close();
        engine = await reopen(clock);
        assert.equal(await engine.head(), 4);
        assert.deepEqual(await all(), ['/a=1']);
        await assert.rejects(engine.get('/a', 3), isFailure('compacted', 4));
        assert.equal(await put('/a', '2'), 5);
      });

      it('lets a follower go on from the last revision it saw', async () => {
        await put('/a', '1');
        await put('/a', '2');
        await engine.close();
        engine = await reopen(clock);
        const recorder = new Recorder(engine, '/', 2);
        await put('/a', '3');
        await recorder.reached(4);
        assert.deepEqual(recorder.told(), ['3 /a=2 was 1', '4 /a=3 was 2']);
      });

      if (engines.hasOwnTime === true) {
        it('remembers times to live', async () => {
          await put('/a', '1', 0, 1);
          await put('/b', '1');
          await engine.close();
          engine = await reopen(clock);
          const recorder = new Recorder(engine, '/', 3);
          await recorder.reached(4);
          assert.deepEqual(recorder.told(), ['4 /a=- was 1']);
          assert.deepEqual(await all(), ['/b=1']);
        });
        return;
      }

      it('remembers times to live and the age of history', async () => {
        await put('/a', '1', 0, 60);
        await put('/b', '1');
        await put('/b', '2');
        await engine.close();
        clock.turn(59_999);
        engine = await reopen(clock);
        const recorder = new Recorder(engine, '/', 4);
        assert.deepEqual(await all(), ['/a=1', '/b=2']);
        clock.turn(1);
        await recorder.reached(5);
        assert.deepEqual(recorder.told(), ['5 /a=- was 1']);
        await pass(HISTORY_SECONDS - 55);
        await assert.rejects(all(3), isFailure('compacted', 4));
        assert.deepEqual(await all(4), ['/a=1', '/b=2']);
      });
    });
  });
}
