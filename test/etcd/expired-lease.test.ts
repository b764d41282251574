import assert from 'node:assert/strict';
import { it } from 'node:test';
import { status } from '@grpc/grpc-js';
import { openEngine, StorageFailure, type Commit } from '#storage';
import { LEASE, ScriptedEtcd } from './scripted-etcd.ts';
import { TXN } from './stream-proxy.ts';

const HEADER = Buffer.from([0x0a, 4, 0x08, 1, 0x18, 9]);
const DONE = Buffer.from([0x0a, 4, 0x08, 1, 0x18, 10, 0x10, 1]);
const FIRST_LEASE = 0x51;

/** An etcd that grants one lease after the other and knows only those that `isAlive`; which ones entries were put on. */
async function withLeases(isAlive: (lease: number) => boolean, run: (commit: () => Promise<Commit>, used: readonly number[]) => Promise<void>): Promise<void> {
  const used: number[] = [];
  let newest = FIRST_LEASE - 1;
  const etcd = await ScriptedEtcd.start((path, request) => {
    if (path === LEASE) return Buffer.concat([HEADER, Buffer.from([0x10, ++newest])]);
    if (path !== TXN) return HEADER;
    const lease = Array.from({ length: newest + 1 - FIRST_LEASE }, (_, i) => FIRST_LEASE + i).find((id) => request.includes(Buffer.from([0x18, id])));
    assert.ok(lease !== undefined);
    used.push(lease);
    return isAlive(lease) ? DONE : { code: status.NOT_FOUND, details: 'etcdserver: requested lease not found' };
  });
  const engine = await openEngine(`etcd://${etcd.address}`);
  await run(() => engine.commit({ key: '/a', expect: 0, value: Buffer.from('x'), ttlSeconds: 3_600 }), used);
  await engine.close();
  etcd.close();
}

it('an entry whose lease has expired before it arrived is put on a new one', () =>
  withLeases((lease) => lease > FIRST_LEASE, async (commit, used) => {
    assert.deepEqual(await commit(), { done: true, revision: 10 });
    assert.deepEqual(used, [FIRST_LEASE, FIRST_LEASE + 1]);
  }));

it('an etcd that forgets every lease is not asked without an end', () =>
  withLeases(() => false, async (commit, used) => {
    await assert.rejects(commit(), (error) => error instanceof StorageFailure && error.code === 'unavailable' && /requested lease not found/.test(error.message));
    assert.deepEqual(used, [FIRST_LEASE, FIRST_LEASE + 1]);
  }));
