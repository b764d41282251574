import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { queryObjects } from 'node:v8';
import { StillClock } from '#base';
import type { Change } from './engine.ts';
import { eventsOfEach } from './events.ts';
import { Collector, note, NoteCodec, PREFIX, type Note } from './object-store-suite.ts';
import { StorageFailure } from './storage-failure.ts';
import { createStored } from './stored.ts';
import { Watcher } from './watcher.ts';

const LARGE = 300_000;
const codec = new NoteCodec();

/** The changes of many keys in one revision, as when a lease of etcd expires. */
const madeAt = (revision: number, names: readonly string[]): Change[] =>
  names.map((name) => ({ key: `${PREFIX}n/${name}`, revision, value: codec.encode(note(name, 'x'.repeat(LARGE))) }));

test('missed changes are sent in pieces, none of which ends within a revision', () => {
  const collector = new Collector();
  const watcher = new Watcher({ prefix: PREFIX, since: 1, bookmarks: false }, collector, new AbortController().signal);
  const changes = [...madeAt(2, ['a']), ...madeAt(3, ['b', 'c', 'd', 'e', 'f', 'g']), ...madeAt(4, ['h'])];
  const send = (): boolean => watcher.sendMissed(eventsOfEach(changes, codec.select), 4);
  const names = (): string => collector.events_.map((event) => ('stored' in event ? event.stored.object.metadata.name : '')).join('');
  assert.deepEqual([send(), names(), watcher.position], [false, 'abcdefg', 3]);
  assert.deepEqual([send(), names(), watcher.position], [true, 'abcdefgh', 4]);
});

test('a signal that outlives its watches keeps nothing of them, however they end', () => {
  const { signal } = new AbortController();
  const open = (events: () => boolean): Watcher<Note> => new Watcher({ prefix: PREFIX, since: 1, bookmarks: false }, { events, end: () => {} }, signal);
  const [ended, dropped, full] = [open(() => true), open(() => true), open(() => false)];
  assert.equal(getEventListeners(signal, 'abort').length, 3);
  ended.end();
  dropped.drop();
  full.send([{ type: 'BOOKMARK', revision: 2 }]);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('a watch that goes on keeps nothing of how often its receiver was waited for', async () => {
  const watcher = new Watcher({ prefix: PREFIX, since: 1, bookmarks: false }, { events: () => true, end: () => {}, drained: () => Promise.resolve() }, new AbortController().signal);
  const waited = async (): Promise<WeakRef<object>> => {
    const wait = watcher.drained();
    await wait;
    return new WeakRef(wait!);
  };
  const waits = [await waited(), await waited()];
  await new Promise((resolve) => setImmediate(resolve));
  // Collects all garbage.
  queryObjects(WeakRef, { format: 'count' });
  assert.deepEqual(waits.map((wait) => wait.deref()), [undefined, undefined]);
  watcher.end();
});

test('what is to be called at the end is called once, at once where that has come, and not when it was forgotten', () => {
  const watcher = new Watcher({ prefix: PREFIX, since: 1, bookmarks: false }, new Collector(), new AbortController().signal);
  const called: string[] = [];
  watcher.onEnd(() => called.push('kept'));
  watcher.onEnd(() => called.push('forgotten'))();
  watcher.end();
  watcher.onEnd(() => called.push('late'));
  watcher.end();
  assert.deepEqual(called, ['kept', 'late']);
});

test('an end is told once, and nothing after it', () => {
  const collector = new Collector();
  const watcher = new Watcher({ prefix: PREFIX, since: 1, bookmarks: true }, collector, new AbortController().signal);
  const [change] = eventsOfEach(madeAt(2, ['a']), codec.select);
  assert.ok(change);
  watcher.take(change);
  for (let time = 0; time < 2; time++) watcher.end();
  const bytes = watcher.take(change);
  watcher.flush(2);
  watcher.begin();
  watcher.bookmark(2);
  watcher.lose(new Error('lost'));
  assert.deepEqual([bytes, collector.events_, collector.hasBegun, collector.ends, collector.ended], [0, [], false, 1, { cause: undefined }]);
});

test('what a receiver throws ends its watch, and is the reason', () => {
  const mine = new Error('mine');
  for (const [thrown, told] of [[mine, mine], ['text', new Error('text')]] as const) {
    const collector = new Collector();
    const events = (): never => {
      throw thrown as Error;
    };
    new Watcher({ prefix: PREFIX, since: 1, bookmarks: true }, { events, end: (cause) => collector.end(cause) }, new AbortController().signal).bookmark(1);
    assert.deepEqual([collector.ends, collector.ended?.cause], [1, told]);
  }
});

test('a watch from which nothing was taken by compaction ends without an error when its source is lost: it can be resumed', () => {
  for (const [code, revision, isError] of [
    ['compacted', 4, false],
    ['compacted', 5, false],
    ['compacted', 6, true],
    ['compacted', undefined, true],
    ['unavailable', undefined, true],
    ['future', 5, true],
  ] as const) {
    const collector = new Collector();
    const watcher = new Watcher({ prefix: PREFIX, since: 5, bookmarks: false }, collector, new AbortController().signal);
    const why = new StorageFailure(code, 'lost', revision === undefined ? {} : { revision });
    watcher.lose(why);
    assert.deepEqual([collector.ends, collector.ended?.cause], [1, isError ? why : undefined], `${code} ${revision}`);
  }
});

test('a bookmark is news where it is ahead of the watch, or tells where it begins, and never goes back', async () => {
  const resumed = new Watcher({ prefix: PREFIX, since: 5, bookmarks: true }, new Collector(), new AbortController().signal);
  const [empty, filled] = [1, 2].map(() => new Watcher({ prefix: PREFIX, since: 'latest', bookmarks: true }, new Collector(), new AbortController().signal)) as [Watcher<Note>, Watcher<Note>];
  const silent = new Watcher({ prefix: PREFIX, since: 5, bookmarks: false }, new Collector(), new AbortController().signal);
  await empty.sendState([]);
  await filled.sendState([createStored({ key: `${PREFIX}n/a`, revision: 5, value: codec.encode(note('a', 'x')) }, codec.select)]);
  empty.position = filled.position = 5;
  const wanted = (watcher: Watcher<Note>): boolean[] => [4, 5, 6].map((revision) => watcher.wantsBookmark(revision));
  assert.deepEqual([resumed, empty, filled, silent].map(wanted), [[false, false, true], [false, true, true], [false, false, true], [false, false, false]]);
});

test('a last bookmark is asked for two seconds before the end of a watch that wants bookmarks and is longer, and is not waited for where the watch has ended', () => {
  for (const [bookmarks, endsInMs, calledAfterMs] of [
    [true, 2_001, 1],
    [true, 2_000, undefined],
    [true, undefined, undefined],
    [false, 2_001, undefined],
  ] as const) {
    const clock = new StillClock();
    const [watcher, ended] = [1, 2].map(() => new Watcher({ prefix: PREFIX, since: 1, bookmarks, ...(endsInMs === undefined ? {} : { endsInMs }) }, new Collector(), new AbortController().signal)) as [Watcher<Note>, Watcher<Note>];
    const began = clock.nowMs();
    const called: number[] = [];
    for (const one of [watcher, ended]) one.beforeEnd(clock, () => called.push(clock.nowMs() - began));
    ended.end();
    assert.equal(clock.pending, calledAfterMs === undefined ? 0 : 1);
    clock.turn(10_000);
    assert.deepEqual(called, calledAfterMs === undefined ? [] : [calledAfterMs], `${bookmarks} ${endsInMs}`);
  }
});
