import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOfEach } from './events.ts';
import { Collector, note, NoteCodec, PREFIX } from './object-store-suite.ts';
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
