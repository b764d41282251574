import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';
import { openEngine, StorageFailure } from '#storage';
import { FeedRecorder } from './feed-recorder.ts';
import { ScriptedEtcd } from './scripted-etcd.ts';

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
