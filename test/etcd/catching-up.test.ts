import assert from 'node:assert/strict';
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
