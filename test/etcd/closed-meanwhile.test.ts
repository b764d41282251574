import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { status } from '@grpc/grpc-js';
import { deferred } from '#base';
import { openEngine, StorageFailure, type Engine } from '#storage';
import { TurnedClock } from '#testing';
import { LEASE, ScriptedEtcd, type Script } from './scripted-etcd.ts';
import { TXN } from './stream-proxy.ts';

const AT_NINE = Buffer.from([0x0a, 4, 0x08, 1, 0x18, 9]);
const GRANTED = Buffer.concat([AT_NINE, Buffer.from([0x10, 5])]);

const ANSWERS: Readonly<Record<string, ReturnType<Script>>> = {
  'what was asked for': AT_NINE,
  'that this is no longer kept': { code: status.OUT_OF_RANGE, details: 'etcdserver: mvcc: required revision has been compacted' },
  'that this is not there yet': { code: status.OUT_OF_RANGE, details: 'etcdserver: mvcc: required revision is a future revision' },
  'that it is away': status.UNAVAILABLE,
  'that there is no space': { code: status.RESOURCE_EXHAUSTED, details: 'etcdserver: mvcc: database space exceeded' },
  'that a lease is gone': { code: status.NOT_FOUND, details: 'etcdserver: requested lease not found' },
};

const value = new Uint8Array(1);
const QUESTIONS: Readonly<Record<string, (engine: Engine) => Promise<unknown>>> = {
  head: (engine) => engine.head(),
  get: (engine) => engine.get('/a', 3),
  scan: (engine) => engine.scan({ start: '/', end: '0', at: 3 }),
  commit: (engine) => engine.commit({ key: '/a', expect: 1, value }),
  'commit with a time to live': (engine) => engine.commit({ key: '/a', expect: 1, value, ttlSeconds: 5 }),
  compact: (engine) => engine.compact(3),
};

describe('a store that is closed while etcd is about to answer', () => {
  for (const [what, answer] of Object.entries(ANSWERS)) {
    for (const [name, ask] of Object.entries(QUESTIONS)) {
      it(`${what}, to ${name}: that is told, or that it was closed`, async (t) => {
        const etcd = await ScriptedEtcd.start(() => AT_NINE);
        t.after(() => etcd.close());
        const engine = await openEngine(`etcd://${etcd.address}`);
        let closing: Promise<void> | undefined;
        etcd.script = (path) => {
          if (path === LEASE) return GRANTED;
          closing ??= engine.close();
          return answer;
        };
        const failure = await ask(engine).then(() => undefined, (error: unknown) => error);
        assert.ok(failure === undefined || failure instanceof StorageFailure, String(failure));
        assert.ok(closing !== undefined);
        await closing;
      });
    }
  }
});

const claimedAt = (revision: number): Buffer => Buffer.from([0x0a, 4, 0x08, 1, 0x18, revision, 0x10, 1]);

describe('a store that is closed while etcd answers nothing', () => {
  for (const silentAt of ['claim', '/etcdserverpb.KV/Compact']) {
    it(`does not wait for its compaction (${silentAt}), nor do those who read, until a write is given up`, async (t) => {
      const etcd = await ScriptedEtcd.start(() => AT_NINE);
      t.after(() => etcd.close());
      const clock = new TurnedClock();
      const engine = await openEngine(`etcd://${etcd.address}?compaction-seconds=1`, { clock });
      let revision = 9;
      const nameOf = (path: string, request: Buffer): string => (path === TXN && request.includes('compact_rev_key') ? 'claim' : path);
      etcd.script = (...call) => (nameOf(...call) === 'claim' ? claimedAt(++revision) : AT_NINE);
      // The next round compacts to what this one has seen.
      clock.turn(1_000);
      await engine.compact(1);
      const arrived = [TXN, '/etcdserverpb.KV/Range', silentAt].map((name) => ({ name, told: deferred<void>() }));
      etcd.script = (...call) => {
        const name = nameOf(...call);
        arrived.find((one) => one.name === name)?.told.resolve();
        return name === 'claim' && name !== silentAt ? claimedAt(++revision) : undefined;
      };
      const ended: string[] = [];
      const write = engine.commit({ key: '/a', expect: 0, value }).catch(() => ended.push('write'));
      await arrived[0]!.told.promise;
      const read = engine.get('/a').catch((error: unknown) => ended.push(String(error)));
      clock.turn(1_000);
      await Promise.all(arrived.map(({ told }) => told.promise));
      const closed = engine.close().then(() => ended.push('store'));
      await Promise.race([Promise.all([closed, read]), write]);
      assert.deepEqual(ended.sort(), ['StorageFailure: the store was closed', 'store']);
    });
  }
});
