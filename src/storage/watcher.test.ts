import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { eventsOfEach } from './events.ts';
import { Collector, note, NoteCodec, PREFIX, type Note } from './object-store-suite.ts';
import type { Change } from './engine.ts';
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
