import assert from 'node:assert/strict';
import { promises as dns } from 'node:dns';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { status } from '@grpc/grpc-js';
import { deferred } from '#base';
import { openEngine, StorageFailure, type Engine, type Revision } from '#storage';
import { EtcdProcess, NO_ETCD, type EtcdCluster } from './etcd-process.ts';
import { FeedRecorder } from './feed-recorder.ts';
import { ScriptedEtcd } from './scripted-etcd.ts';

const WRITES = 30;
/** An answer of cluster 1 at revision 9. */
const AT_NINE = Buffer.from([0x0a, 4, 0x08, 1, 0x18, 9]);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('a cluster of three', { skip: NO_ETCD, timeout: 120_000 }, () => {
  let cluster: EtcdCluster;
  let members: readonly EtcdProcess[];
  let engine: Engine;

  beforeEach(async () => {
    cluster = await EtcdProcess.startCluster(3);
    ({ members } = cluster);
    engine = await openEngine(`etcd://${members.map(({ address }) => address).join(',')}`);
  });
  afterEach(async () => {
    await engine.close();
    await cluster.remove();
  });

  /** Writes until so many were acknowledged. A write whose outcome is unknown shows in the next lost race. */
  async function write(count: number): Promise<readonly Revision[]> {
    const acknowledged: Revision[] = [];
    let expect = (await engine.get('/w'))?.revision ?? 0;
    while (acknowledged.length < count) {
      try {
        const commit = await engine.commit({ key: '/w', expect, value: bytes(`${acknowledged.length}`) });
        if (commit.done) acknowledged.push(commit.revision);
        expect = commit.done ? commit.revision : (commit.found?.revision ?? 0);
      } catch (error) {
        assert.ok(error instanceof StorageFailure && error.code === 'unavailable', String(error));
      }
    }
    return acknowledged;
  }

  it('goes on without any one member; those who follow miss nothing and see nothing twice', async () => {
    const recorder = new FeedRecorder(engine, '/', 1);
    const acknowledged = [...(await write(WRITES))];
    for (const member of members) {
      await member.kill();
      acknowledged.push(...(await write(WRITES)));
      await member.run();
    }
    const head = await engine.head();
    await recorder.reached(head);
    assert.equal(recorder.lost, undefined);
    const seen = recorder.changes.map(({ revision }) => revision);
    assert.deepEqual(seen, Array.from({ length: head - 1 }, (_, i) => i + 2));
    for (const revision of acknowledged) assert.ok(seen.includes(revision));
  });

  it('a member that hangs: reads are answered by another, writes go on, and those who follow miss nothing', async () => {
    const recorder = new FeedRecorder(engine, '/', 1);
    await recorder.reached((await write(WRITES)).at(-1)!);
    members[0]!.signal('SIGSTOP');
    assert.ok((await engine.get('/w')) !== undefined);
    const last = (await write(WRITES)).at(-1)!;
    await recorder.reached(last);
    assert.equal(recorder.lost, undefined);
    assert.deepEqual(recorder.changes.map(({ revision }) => revision), Array.from({ length: last - 1 }, (_, i) => i + 2));
  });
});

const CANNOT_ANSWER = [
  ['a member that finds the time of a call over, as one that is cut off from the others,', { code: status.UNKNOWN, details: 'context deadline exceeded' }],
  // Of etcd 3.6; earlier ones say that it is unavailable.
  ['a member that is new, and learns what there is,', { code: status.FAILED_PRECONDITION, details: 'etcdserver: rpc not supported for learner' }],
] as const;

for (const [why, refusal] of CANNOT_ANSWER) {
  it(`${why} is left: a read goes to the next one, as does what follows a write`, async (t) => {
    const members = [await ScriptedEtcd.start(() => AT_NINE), await ScriptedEtcd.start(() => AT_NINE)] as const;
    t.after(() => members.forEach((member) => member.close()));
    const engine = await openEngine(`etcd://${members.map(({ address }) => address).join(',')}`);
    t.after(() => engine.close());
    const asked: number[] = [];
    const cutOff = (which: 0 | 1): void => {
      for (const [i, member] of members.entries()) {
        member.script = () => {
          asked.push(i);
          return i === which ? refusal : AT_NINE;
        };
      }
    };
    cutOff(0);
    assert.equal(await engine.head(), 9);
    cutOff(1);
    await assert.rejects(engine.commit({ key: '/a', expect: 0, value: bytes('x') }), (error) => error instanceof StorageFailure && error.code === 'unavailable');
    assert.equal(await engine.head(), 9);
    assert.deepEqual(asked, [0, 1, 1, 0]);
  });
}

it('a member that takes long is not given up where the next one takes as long, as with slow disks: the first answer counts', async (t) => {
  const members = [await ScriptedEtcd.start(() => AT_NINE), await ScriptedEtcd.start(() => AT_NINE)] as const;
  t.after(() => members.forEach((member) => member.close()));
  const engine = await openEngine(`etcd://${members.map(({ address }) => address).join(',')}`);
  t.after(() => engine.close());
  const late = deferred<Buffer>();
  let asked = 0;
  members[0].script = () => (asked++ === 0 ? late.promise : undefined);
  const isOther = deferred<void>();
  members[1].script = () => {
    isOther.resolve();
    return undefined;
  };
  const head = engine.head();
  await isOther.promise;
  late.resolve(AT_NINE);
  assert.equal(await head, 9);
});

it('a member that does not answer is not asked again before one whose connection broke while nobody needed it', async (t) => {
  const silent = await ScriptedEtcd.start(() => AT_NINE);
  t.after(() => silent.close());
  const before = await ScriptedEtcd.start(() => AT_NINE);
  const engine = await openEngine(`etcd://${silent.address},${before.address}`);
  t.after(() => engine.close());
  // Once the other one was asked, there is a connection to it.
  silent.script = () => status.UNAVAILABLE;
  assert.equal(await engine.head(), 9);
  silent.script = () => AT_NINE;
  before.script = () => status.UNAVAILABLE;
  assert.equal(await engine.head(), 9);
  before.close();
  const again = await ScriptedEtcd.start(() => AT_NINE, before.address);
  t.after(() => again.close());
  assert.equal(await engine.head(), 9);
  let asked = 0;
  silent.script = () => {
    asked++;
    return undefined;
  };
  assert.equal(await engine.head(), 9);
  assert.equal(asked, 1);
});

it('a member that does not answer what another one does is not listened to any more: who follows goes on at that one', { timeout: 60_000 }, async (t) => {
  const members = [await ScriptedEtcd.start(() => AT_NINE), await ScriptedEtcd.start(() => AT_NINE)] as const;
  t.after(() => members.forEach((member) => member.close()));
  const engine = await openEngine(`etcd://${members.map(({ address }) => address).join(',')}`);
  t.after(() => engine.close());
  const recorder = new FeedRecorder(engine, '/', 9);
  // It is opened, and there is nothing newer: it may be silent.
  (await members[0].watched()).write(Buffer.concat([AT_NINE, Buffer.from([0x18, 1])]));
  members[0].script = () => undefined;
  assert.equal(await engine.head(), 9);
  (await members[1].watched()).write(Buffer.concat([AT_NINE, Buffer.from('5a0a12080a022f61180a2001', 'hex')]));
  await recorder.reached(10);
  assert.deepEqual([recorder.lost, recorder.changes.map(({ key }) => key)], [undefined, ['/a']]);
});

it('a member that is started anew at another address is found there, though its name led to the old one for a while', async (t) => {
  const addresses = ['127.0.0.1'];
  t.mock.method(dns, 'lookup', async () => [{ address: addresses.length > 1 ? addresses.shift() : addresses[0], family: 4 }]);
  const before = await ScriptedEtcd.start(() => AT_NINE);
  const port = before.address.split(':')[1];
  const engine = await openEngine(`etcd://etcd.test:${port}`);
  t.after(() => engine.close());
  addresses.push('127.0.0.2');
  before.close();
  const after = await ScriptedEtcd.start(() => AT_NINE, `127.0.0.2:${port}`);
  t.after(() => after.close());
  assert.equal(await engine.head(), 9);
});
