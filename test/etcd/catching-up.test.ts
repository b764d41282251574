import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it, type TestContext } from 'node:test';
import { openEngine, StorageFailure, type Engine } from '#storage';
import { FeedRecorder } from './feed-recorder.ts';
import { ScriptedEtcd, type Stream } from './scripted-etcd.ts';

/** To a range: nothing, at revision 9 of the cluster 1. */
const AT_NINE = Buffer.from([0x0a, 4, 0x08, 1, 0x18, 9]);

it('a follower that has not caught up yet is told that the store was closed', async () => {
  const etcd = await ScriptedEtcd.start(() => AT_NINE);
  const engine = await openEngine(`etcd://${etcd.address}`);
  const recorder = new FeedRecorder(engine, '/', 5);
  await engine.close();
  await recorder.ended();
  assert.ok(recorder.lost instanceof StorageFailure && recorder.lost.code === 'unavailable', String(recorder.lost));
  etcd.close();
});

it('a watch that broke off is not opened again once the store is closed', async (t) => {
  const etcd = await ScriptedEtcd.start(() => AT_NINE);
  t.after(() => etcd.close());
  /** One whose watch broke off just now, and waits. */
  const broken = async (): Promise<Engine> => {
    const engine = await openEngine(`etcd://${etcd.address}`);
    (await etcd.watched()).end();
    await engine.head();
    return engine;
  };
  await (await broken()).close();
  const other = await broken();
  // This one has waited for as long, and began later.
  await etcd.watched();
  await other.close();
});

/** A piece of an answer to a watch: keys that were created, each at its revision. `isLast`: nothing more of this answer comes. */
function piece(created: readonly (readonly [revision: number, key: string])[], isLast: boolean): Buffer {
  const events = created.map(([revision, key]) => {
    const entry = Buffer.from([0x0a, key.length, ...Buffer.from(key), 0x18, revision, 0x20, 1]);
    return Buffer.from([0x5a, entry.length + 2, 0x12, entry.length, ...entry]);
  });
  return Buffer.concat([AT_NINE, ...(isLast ? [] : [Buffer.from([0x38, 1])]), ...events]);
}

it('what came of an answer in pieces is told, but for its newest revision, and not asked for again after the connection broke', async (t) => {
  const etcd = await ScriptedEtcd.start(() => AT_NINE);
  t.after(() => etcd.close());
  const engine = await openEngine(`etcd://${etcd.address}`);
  t.after(() => engine.close());
  const recorder = new FeedRecorder(engine, '/', 9);
  const first = await etcd.watched();
  first.write(piece([[10, '/a'], [11, '/b'], [11, '/c']], false));
  // What was told of it before is still there.
  etcd.script = () => Buffer.from([...AT_NINE, 0x12, 8, 0x0a, 2, ...Buffer.from('/a'), 0x18, 10, 0x20, 1]);
  first.end();
  const second = await etcd.watched();
  const [request] = (await once(second, 'data')) as [Buffer];
  // The number of the field and the revision from which on it is to be told.
  assert.ok(request.includes(Buffer.from([0x18, 11])), request.toString('hex'));
  second.write(piece([[11, '/b']], false));
  second.write(piece([[11, '/c'], [12, '/d']], true));
  await recorder.reached(12);
  assert.deepEqual([recorder.lost, recorder.changes.map(({ revision, key }) => `${revision} ${key}`)], [undefined, ['10 /a', '11 /b', '11 /c', '12 /d']]);
});

/** A follower that starts before what is in memory: its own watch is the second one. */
async function behind(t: TestContext): Promise<{ engine: Engine; shared: Stream; recorder: FeedRecorder; own: Stream }> {
  const etcd = await ScriptedEtcd.start(() => AT_NINE);
  t.after(() => etcd.close());
  const engine = await openEngine(`etcd://${etcd.address}`);
  t.after(() => engine.close());
  const shared = await etcd.watched();
  const recorder = new FeedRecorder(engine, '/', 5);
  return { engine, shared, recorder, own: await etcd.watched() };
}

/** One key for each of these revisions. */
const made = (from: number, to: number): Buffer =>
  piece(Array.from({ length: to + 1 - from }, (_, i) => [from + i, `/${from + i}`] as const), true);

for (const areAhead of [true, false]) {
  it(`a follower that has caught up goes on with the others, which are ${areAhead ? 'ahead of it' : 'behind'}, and is told everything once`, async (t) => {
    const { engine, shared, recorder, own } = await behind(t);
    const other = new FeedRecorder(engine, '/', 9);
    const tellOthers = async (): Promise<void> => {
      shared.write(made(10, 11));
      await other.reached(11);
    };
    if (areAhead) await tellOthers();
    own.write(made(6, 7));
    own.write(made(8, areAhead ? 9 : 11));
    await recorder.reached(11);
    await engine.head();
    assert.equal(own.cancelled, true, 'it needs no watch of its own any more');
    if (!areAhead) await tellOthers();
    shared.write(made(12, 12));
    await Promise.all([recorder.reached(12), other.reached(12)]);
    for (const [one, first] of [[recorder, 6], [other, 10]] as const) {
      assert.deepEqual([one.lost, one.changes.map(({ revision }) => revision)], [undefined, Array.from({ length: 13 - first }, (_, i) => first + i)]);
    }
  });
}

it('a follower that stops before it has caught up leaves no watch of its own behind', async (t) => {
  const { engine, recorder, own } = await behind(t);
  own.write(made(6, 6));
  await recorder.reached(6);
  recorder.stop();
  await engine.head();
  assert.deepEqual([own.cancelled, recorder.lost, recorder.changes.length], [true, undefined, 1]);
});
