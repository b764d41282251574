import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deferred } from '#base';
import type { EventSink } from '../object-store.ts';
import { Collector, note, PREFIX, type Note, type TestedStore } from './test-support.ts';

/** Tests of bookmarks. */
export function bookmarkSuite(tested: TestedStore): void {
  const { create, watch } = tested;

  it('R4.5-07 R4.5-09 sends a bookmark once a minute to those who want it', async () => {
    const with_ = await watch({ since: 1, bookmarks: true });
    const without = await watch({ since: 1 });
    await create(note('a', '1'));
    await with_.count(1);
    tested.clock.turn(60_000);
    tested.clock.turn(60_000);
    assert.deepEqual(with_.summary(), ['ADDED a=1 2', 'BOOKMARK 2', 'BOOKMARK 2']);
    assert.deepEqual(without.summary(), ['ADDED a=1 2']);
  });

  it('R4.5-07 sends a last bookmark shortly before its end to those who want it', async () => {
    const ends = await watch({ since: 1, bookmarks: true, endsInMs: 30_000 });
    const brief = await watch({ since: 1, bookmarks: true, endsInMs: 2_000 });
    const without = await watch({ since: 1, bookmarks: false, endsInMs: 30_000 });
    const narrow = await watch({ prefix: `${PREFIX}n/`, since: 1, bookmarks: true, endsInMs: 30_000 });
    await create(note('a', '1'));
    await Promise.all([ends, brief, without, narrow].map((collector) => collector.count(1)));
    tested.clock.turn(27_999);
    assert.deepEqual(ends.summary(), ['ADDED a=1 2']);
    tested.clock.turn(1);
    for (const collector of [ends, narrow]) assert.deepEqual(collector.summary(), ['ADDED a=1 2', 'BOOKMARK 2']);
    assert.deepEqual([brief.summary(), without.summary()], [['ADDED a=1 2'], ['ADDED a=1 2']]);
  });

  it('R4.5-07 sends the last bookmark in time also where the receiver took long to take the state', async () => {
    await create(note('a', '1'));
    const collector = new Collector();
    const taken = deferred<void>();
    const slow: EventSink<Note> = { events: (batch) => collector.events(batch), drained: () => taken.promise, end: (cause) => collector.end(cause) };
    const begun = tested.store.watch({ prefix: PREFIX, since: 'latest', bookmarks: true, endsInMs: 30_000 }, slow, tested.watches.signal);
    await collector.count(1);
    tested.clock.turn(20_000);
    taken.resolve();
    await begun;
    await create(note('b', '1'));
    await collector.count(2);
    tested.clock.turn(8_000);
    assert.deepEqual(collector.summary(), ['ADDED a=1 2', 'ADDED b=1 3', 'BOOKMARK 3']);
  });

  it('no bookmark comes before the objects that the watch begins with were taken', async () => {
    await create(note('a', '1'));
    const collector = new Collector();
    const slow: EventSink<Note> = { events: (batch) => collector.events(batch), drained: () => deferred<void>().promise, end: (cause) => collector.end(cause) };
    void tested.store.watch({ prefix: PREFIX, since: 'latest', bookmarks: true, endsInMs: 90_000 }, slow, tested.watches.signal);
    await collector.count(1);
    const mark = await watch({ since: 2 });
    await create(note('b', '1'));
    await mark.count(1);
    tested.clock.turn(60_000);
    tested.clock.turn(29_000);
    assert.deepEqual(collector.summary(), ['ADDED a=1 2']);
  });

  it('no bookmark says that a revision was reached that is not there yet', async () => {
    const ahead = await watch({ since: 7, bookmarks: true, endsInMs: 90_000 });
    tested.clock.turn(60_000);
    tested.clock.turn(29_000);
    assert.deepEqual(ahead.summary(), []);
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await create(note(name, '1'));
    await ahead.count(1);
    assert.deepEqual(ahead.summary(), ['ADDED g=1 8']);
  });

  it('bookmarks tell progress of other resources too', async () => {
    const collector = await watch({ since: 1, bookmarks: true });
    const others = await watch({ prefix: '/registry/other/', since: 1 });
    await create(note('b', '1'));
    await tested.store.write('/registry/other/a', async () => ({ put: note('a', '1') }));
    await Promise.all([collector.count(1), others.count(1)]);
    tested.clock.turn(60_000);
    assert.deepEqual(collector.summary(), ['ADDED b=1 2', 'BOOKMARK 3']);
  });
}
