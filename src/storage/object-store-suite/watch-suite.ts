import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deferred, nextTurn } from '#base';
import type { Revision } from '../entry.ts';
import type { EventSink, Stored } from '../object-store.ts';
import { Collector, keyOfNote, note, PREFIX, setText, type Note, type TestedStore } from './test-support.ts';

/** A receiver that takes what it has got when a test says so. */
class SlowReceiver implements EventSink<Note> {
  readonly collector = new Collector();
  #taken = deferred<void>();

  begun(): void {
    this.collector.begun();
  }

  events(batch: Parameters<EventSink<Note>['events']>[0]): boolean {
    return this.collector.events(batch);
  }

  end(cause?: Error): void {
    this.collector.end(cause);
  }

  drained(): Promise<void> {
    return this.#taken.promise;
  }

  /** Takes what it has got. */
  take(): void {
    const { resolve } = this.#taken;
    this.fallBehind();
    resolve();
  }

  /** From now on takes everything at once. */
  keepUp(): void {
    this.#taken.resolve();
  }

  /** From now on takes nothing by itself. */
  fallBehind(): void {
    this.#taken = deferred<void>();
  }
}

/** Tests of the events of watches. */
export function watchSuite(tested: TestedStore): void {
  const { create, update, remove, watch } = tested;

  it('R4.5-02 R4.5-03 R4.5-04 R4.5-05 R4.6-32 R4.6-33 tells everything after a revision, and nothing before', async () => {
    await create(note('a', '1'));
    await update('a', setText('2'));
    const collector = await watch({ since: 2 });
    await create(note('b', '1'));
    await remove('a');
    await collector.count(3);
    assert.deepEqual(collector.summary(), ['MODIFIED a=2 3', 'ADDED b=1 4', 'DELETED a=2 5']);
    assert.deepEqual(collector.events_.map((event) => event.revision), [3, 4, 5]);
  });

  it('R4.6-28 R4.6-29 R4.6-30 R4.6-31 begins with the present state when no revision is given', async () => {
    await create(note('a', '1'));
    await create(note('b', '1'));
    await update('a', setText('2'));
    for (const since of ['latest', 'any', 0] as const) {
      const collector = await watch({ since });
      await collector.count(2);
      assert.deepEqual(collector.summary(), ['ADDED a=2 4', 'ADDED b=1 3']);
    }
    const collector = await watch();
    await update('b', setText('3'));
    await collector.count(3);
    assert.equal(collector.summary()[2], 'MODIFIED b=3 5');
  });

  it('shows an entry that begins or stops to match as one that comes or goes', async () => {
    const matches = (stored: Stored<Note>): boolean => stored.labels['app'] === 'x';
    await create(note('a', '1', { app: 'y' }));
    await create(note('z', '1', { app: 'x' }));
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
    await collector.count(6);
    assert.deepEqual(collector.summary(), ['ADDED z=1 3', 'ADDED a=1 4', 'MODIFIED a=2 5', 'DELETED a=2 6', 'ADDED b=1 8', 'DELETED b=1 9']);
    assert.deepEqual({ ...(collector.events_[3] as { stored: Stored<Note> }).stored.labels }, { app: 'x' });
  });

  it('shows an entry by its fields, those that it had before the watch began and those that it gets then', async () => {
    await create(note('a', '1'));
    for (const text of ['2', '3']) await update('a', setText(text));
    const collector = await watch({ since: 1, matches: ({ fields }) => fields['text'] === '2' });
    await collector.count(2);
    await update('a', setText('2'));
    await remove('a');
    await collector.count(4);
    assert.deepEqual(collector.summary(), ['ADDED a=2 3', 'DELETED a=2 4', 'ADDED a=2 5', 'DELETED a=2 6']);
    for (const event of collector.events_) assert.equal('stored' in event && event.stored.fields['text'], '2');
  });

  it('watches a namespace or one name', async () => {
    const space = await watch({ prefix: `${PREFIX}n/` });
    const one = await watch({ prefix: keyOfNote('a') });
    await create(note('a', '1'));
    await create(note('ab', '1'));
    await create({ ...note('a', '2'), metadata: { name: 'a', namespace: 'm' } });
    await update('a', setText('3'));
    await Promise.all([space.count(3), one.count(2)]);
    assert.deepEqual(space.summary(), ['ADDED a=1 2', 'ADDED ab=1 3', 'MODIFIED a=3 5']);
    assert.deepEqual(one.summary(), ['ADDED a=1 2', 'MODIFIED a=3 5']);
    const late = await Promise.all([watch({ since: 1, prefix: `${PREFIX}n/` }), watch({ since: 1, prefix: keyOfNote('a') })]);
    await Promise.all([late[0].count(3), late[1].count(2)]);
    await create(note('z', '1'));
    await late[0].count(4);
    assert.deepEqual(late[0].summary(), [...space.summary().slice(0, 3), 'ADDED z=1 6']);
    assert.deepEqual(late[1].summary(), one.summary());
  });

  it('R4.6-37 waits for a revision that is not reached yet', async () => {
    const collector = await watch({ since: 3 });
    for (const name of ['a', 'b', 'c']) await create(note(name, '1'));
    await collector.count(1);
    assert.deepEqual(collector.summary(), ['ADDED c=1 4']);
  });

  it('sends a long first state as fast as it is taken, each object once, and misses nothing meanwhile', async () => {
    const names = Array.from({ length: 1_200 }, (_, i) => `n${String(i).padStart(4, '0')}`);
    await Promise.all(names.map((name) => create(note(name, '1'))));
    const slow = new SlowReceiver();
    const { collector } = slow;
    const started = tested.store.watch({ prefix: PREFIX, since: 'latest', bookmarks: false }, slow, tested.watches.signal);
    await collector.count(1);
    const first = collector.events_.length;
    assert.ok(first < names.length, `${first} at once`);
    await remove('n0001');
    await update('n1199', setText('2'));
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    assert.equal(collector.events_.length, first, 'nothing is sent before what was sent is taken');
    slow.keepUp();
    await started;
    await collector.count(names.length + 2);
    assert.deepEqual(collector.summary().slice(-2), ['DELETED n0001=1 1202', 'MODIFIED n1199=2 1203']);
    assert.deepEqual(collector.summary().slice(0, -2).map((told) => told.split('=')[0]), names.map((name) => `ADDED ${name}`));
    const other = new SlowReceiver();
    const abort = new AbortController();
    const stuck = tested.store.watch({ prefix: PREFIX, since: 'latest', bookmarks: false }, other, abort.signal);
    await other.collector.count(1);
    abort.abort();
    await stuck;
    assert.equal(other.collector.ends, 1);
  });

  it('sends a long row of missed changes as fast as they are taken, and misses nothing meanwhile', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `n${i}`);
    const text = 'x'.repeat(100_000);
    // Whoever keeps what is listed in memory keeps changes of it, too.
    assert.deepEqual(await tested.names(), []);
    for (const name of names) await create(note(name, text));
    const quick = await watch({ since: 1 });
    await quick.count(names.length);
    assert.deepEqual(quick.events_.map((event) => ('stored' in event ? event.stored.object.metadata.name : undefined)), names);
    const slow = new SlowReceiver();
    const { collector } = slow;
    await tested.store.watch({ prefix: PREFIX, since: 1, bookmarks: false }, slow, tested.watches.signal);
    await collector.count(1);
    const pieces = [collector.events_.length];
    for (let sent = pieces[0] ?? 0; sent < names.length; sent = collector.events_.length) {
      names.push(`late${sent}`);
      await create(note(`late${sent}`, text));
      assert.equal(collector.events_.length, sent, 'nothing is sent before what was sent is taken');
      slow.take();
      await collector.count(sent + 1);
      pieces.push(collector.events_.length - sent);
    }
    assert.ok(Math.max(...pieces) < 15, `pieces of ${pieces.join()}`);
    slow.keepUp();
    await create(note('last', '1'));
    await collector.count(names.length + 1);
    const told = collector.events_.map((event) => (event.type === 'BOOKMARK' ? '' : `${event.type} ${event.stored.object.metadata.name ?? ''}`));
    assert.deepEqual(told, [...names, 'last'].map((name) => `ADDED ${name}`));
  });

  it('sends no more of very many small missed changes either before what was sent is taken', async () => {
    const names = Array.from({ length: 1_200 }, (_, i) => `n${i}`);
    for (const name of names) await create(note(name, '1'));
    const slow = new SlowReceiver();
    const { collector } = slow;
    await tested.store.watch({ prefix: PREFIX, since: 1, bookmarks: false }, slow, tested.watches.signal);
    await collector.count(1);
    const first = collector.events_.length;
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    assert.equal(collector.events_.length, first);
    slow.keepUp();
    await collector.count(names.length);
    assert.deepEqual(collector.events_.map((event) => ('stored' in event ? event.stored.object.metadata.name : undefined)), names);
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
        await tested.store.write(keyOfNote(name), async (live) =>
          live !== undefined && i % 4 === 3 ? { remove: true } : { put: note(name, `${i}`) },
        );
        if (i % 8 !== id) continue;
        const { items, revision } = await tested.store.list({ prefix: PREFIX, freshness: 'latest' });
        started.push({ collector: await watch({ since: revision }), state: new Map(items.map((item) => [item.key, item.object.text ?? ''])) });
        started.push({ collector: await watch({ since: 'latest' }), state: new Map() });
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, id) => writer(id)));
    const end = await create(note('end', 'end'));
    const { items } = await tested.store.list({ prefix: PREFIX, freshness: 'latest' });
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
    const read = await tested.store.get(keyOfNote('a'), 'latest');
    assert.ok(seen.every((one) => one === stored) && read === stored);
    assert.equal(tested.codec.encoded, 1);
    assert.equal(stored.json, read.json);
  });
}
