import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, createCatalog } from '#api';
import { ConfigMap } from '#kinds';
import type { WatchEvent } from '#registry';
import type { Outlet } from '#request';
import { createStored } from '#storage';
import { createCodecs } from './codecs.ts';
import type { VerbContext } from './verb-context.ts';
import { createWatchSender } from './watch-sender.ts';

const brand = brandOf('orch');
const resource = createCatalog([ConfigMap], brand).findKind('', 'ConfigMap')!;
const env = { catalog: { brand }, codecs: createCodecs(brand), limits: { maxWatchBufferBytes: Infinity } };

/** A watch whose client takes everything at once, or nothing: what it is handed later comes one by one. */
function openWatch(codec: 'json' | 'protobuf', kind: { readonly takesAll?: true; readonly writesMessages?: true }): { readonly pieces: Uint8Array[]; readonly send: (events: readonly WatchEvent[]) => void; readonly finish: () => Promise<void> } {
  const pieces: Uint8Array[] = [];
  const { takesAll = false, ...form } = kind;
  const out: Outlet = { ...form, signal: new AbortController().signal, open() {}, shutdown() {}, write: (piece) => (pieces.push(piece), takesAll), drained: () => Promise.resolve() };
  const sender = createWatchSender({ accepted: { codec }, env, route: { resource, served: resource.storage } } as unknown as VerbContext, out);
  return { pieces, send: (batch) => assert.ok(sender.events(batch)), finish: async () => sender.drained() };
}

let revision = 0;

function eventsOf(count: number, textBytes: number): readonly WatchEvent[] {
  return Array.from({ length: count }, () => {
    revision += 1;
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: `n${revision}` }, data: { text: 'x'.repeat(textBytes) } };
    const stored = createStored({ key: `/configmaps/n${revision}`, revision, value: Buffer.from(JSON.stringify(object)) }, () => ({}));
    return { type: 'ADDED', stored, revision };
  });
}

const SMALL = 100;
const LARGE = 30_000;
/** More than waits for a watch that keeps pace. */
const FAR_BEHIND = 20;

for (const codec of ['json', 'protobuf'] as const) {
  test(`what waits for watches that are far behind, or that have messages, is kept once for all of them, however they select (${codec})`, async () => {
    const [first, second, messages] = [openWatch(codec, {}), openWatch(codec, {}), openWatch(codec, { takesAll: true, writesMessages: true })];
    const batches = [eventsOf(FAR_BEHIND, LARGE), eventsOf(1, SMALL), eventsOf(5, SMALL), eventsOf(5, LARGE)];
    // Watches that select differently get batches of their own.
    for (const batch of batches) for (const watch of [first, second, messages]) watch.send([...batch]);
    for (const watch of [first, second, messages]) await watch.finish();
    assert.equal(first.pieces.length, batches.flat().length);
    for (const [at, piece] of first.pieces.entries()) assert.ok(piece === second.pieces[at] && piece === messages.pieces[at], `piece ${at} was copied`);
  });

  test(`what waits for many that select the same is kept joined, once for all of them (${codec})`, async () => {
    const watches = Array.from({ length: 20 }, () => openWatch(codec, {}));
    const batches = [eventsOf(FAR_BEHIND, LARGE), eventsOf(5, SMALL)];
    for (const batch of batches) for (const watch of watches) watch.send(batch);
    for (const watch of watches) await watch.finish();
    const bytes = watches.map(({ pieces }) => Buffer.concat(pieces));
    for (const told of bytes) assert.deepEqual(told, bytes[0]);
    const joined = watches.filter(({ pieces }) => pieces.length === FAR_BEHIND + 1);
    assert.ok(joined.length > watches.length / 2);
    for (const { pieces } of joined) assert.equal(pieces.at(-1), joined[0]?.pieces.at(-1));
  });

  test(`who keeps pace, or has a short queue, is sent small events of a batch in one piece, and large ones as all share them (${codec})`, async () => {
    const [first, second] = [openWatch(codec, { takesAll: true }), openWatch(codec, { takesAll: true })];
    for (const batch of [eventsOf(5, SMALL), [...eventsOf(2, SMALL), ...eventsOf(2, LARGE), ...eventsOf(2, SMALL)]]) for (const watch of [first, second]) watch.send([...batch]);
    assert.equal(first.pieces.length, 5);
    assert.deepEqual(first.pieces, second.pieces);
    const before = first.pieces.length;
    const large = eventsOf(3, LARGE);
    for (const watch of [first, second]) watch.send([...large]);
    assert.equal(first.pieces.length - before, large.length);
    for (const [at, piece] of first.pieces.entries()) if (at >= before) assert.equal(piece, second.pieces[at]);
    const slow = openWatch(codec, {});
    for (const batch of [eventsOf(5, SMALL), eventsOf(5, SMALL)]) slow.send(batch);
    await slow.finish();
    assert.equal(slow.pieces.length, 2);
  });
}
