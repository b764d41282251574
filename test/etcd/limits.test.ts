import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { status } from '@grpc/grpc-js';
import { openEngine, StorageFailure } from '#storage';
import { startTestServer, type TestServer } from '#testing';
import { EtcdProcess, NO_ETCD } from './etcd-process.ts';
import { ScriptedEtcd } from './scripted-etcd.ts';
import { TXN } from './stream-proxy.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const MIB = 1024 * 1024;

describe('limits of etcd', { skip: NO_ETCD }, () => {
  it('an object that is too large for it is refused as such: to try again would never help', async () => {
    const etcd = await EtcdProcess.start([`--max-request-bytes=${MIB / 4}`]);
    const server = await startTestServer({ controllers: 'none', aggregateRoles: false, store: `etcd://${etcd.address}` });
    try {
      // What is far beyond its limit etcd does not even read.
      for (const length of [0.3 * MIB, 0.9 * MIB]) {
        const { status, body } = await server.request('POST', MAPS, { metadata: { name: 'a' }, data: { value: 'x'.repeat(length) } });
        assert.deepEqual([status, body.reason], [413, 'RequestEntityTooLarge'], body.message);
        assert.match(body.message, /--max-request-bytes/);
      }
      assert.equal((await server.request('POST', MAPS, { metadata: { name: 'a' } })).status, 201);
    } finally {
      await server.close();
      await etcd.remove();
    }
  });

  it('an object that is too large with its managedFields is stored without them, but for an apply', async () => {
    const etcd = await EtcdProcess.start([`--max-request-bytes=${MIB / 4}`]);
    const server = await startTestServer({ controllers: 'none', aggregateRoles: false, store: `etcd://${etcd.address}` });
    // A field of it is as long in managedFields as in the data.
    const data = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`${'k'.repeat(70)}${at}`, 'v']));
    const ownersOf = async (path: string): Promise<unknown> => (await server.request('GET', path)).body.metadata.managedFields;
    try {
      assert.equal((await server.request('POST', MAPS, { metadata: { name: 'made' }, data })).status, 201);
      for (const name of ['put', 'patched']) {
        assert.equal((await server.request('POST', MAPS, { metadata: { name }, data: { a: 'b' } })).status, 201);
        assert.notEqual(await ownersOf(`${MAPS}/${name}`), undefined);
      }
      assert.equal((await server.request('PUT', `${MAPS}/put`, { metadata: { name: 'put' }, data })).status, 200);
      assert.equal((await server.patch('merge', `${MAPS}/patched`, { data })).status, 200);
      for (const name of ['made', 'put', 'patched']) {
        assert.equal(await ownersOf(`${MAPS}/${name}`), undefined, name);
        assert.equal((await server.patch('apply', `${MAPS}/${name}?fieldManager=m`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })).status, 413, name);
      }
    } finally {
      await server.close();
      await etcd.remove();
    }
  });

  it('without space left nothing is written, reads go on, and it is said what to do', async () => {
    const etcd = await EtcdProcess.start([`--quota-backend-bytes=${4 * MIB}`]);
    const engine = await openEngine(`etcd://${etcd.address}`);
    const logged: string[] = [];
    const log = (message: string, fields?: object): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
    const start = (): Promise<TestServer> => startTestServer({ store: `etcd://${etcd.address}`, controllers: 'none', log: { info: log, warn: log, error: log } });
    let server = await start();
    try {
      await engine.commit({ key: '/first', expect: 0, value: new Uint8Array(MIB) });
      const write = (name: string): Promise<unknown> => engine.commit({ key: `/${name}`, expect: 0, value: new Uint8Array(MIB) });
      // etcd measures itself every tenth of a second, and takes what comes until then.
      let wasTaken = true;
      for (let i = 0; wasTaken; i++) wasTaken = await write(`k${i}`).then(() => true, () => false);
      const failures = await Promise.all(Array.from({ length: 5 }, (_, i) => write(`late${i}`).then(() => 'it was taken', (reason: unknown) => reason)));
      for (const failure of failures) {
        assert.ok(failure instanceof StorageFailure && failure.code === 'full', String(failure));
        assert.match(failure.message, /defragment/);
      }
      const first = await engine.get('/first');
      assert.equal(first?.value.length, MIB);
      // A write that must not take effect is refused for that reason.
      for (const expect of [0, first.revision + 1]) assert.deepEqual(await engine.commit({ key: '/first', expect, value: new Uint8Array(MIB) }), { done: false, found: first });
      assert.deepEqual(await engine.commit({ key: '/none', expect: first.revision, value: new Uint8Array(MIB) }), { done: false, found: undefined });
      const answer = await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'a' } });
      assert.deepEqual([answer.status, answer.body.message], [503, 'the store has no space left: nothing can be written until there is some, reads go on']);
      assert.match(logged.join('\n'), /a request could not be served just now [^\n]*Compact and defragment it, or raise --quota-backend-bytes, and disarm its alarm/);
      // A server can be started anew, and makes room.
      await server.close();
      server = await start();
      assert.equal((await server.request('DELETE', '/api/v1/namespaces/default/services/orch')).status, 200);
    } finally {
      await server.close();
      await engine.close();
      await etcd.remove();
    }
  });
});

describe('a write for which etcd says that it has no space left', () => {
  const HEAD = Buffer.from('0a0408011809', 'hex');
  const nothing = Buffer.from('0a040801180a', 'hex');
  /** `/a` was written at revision 10, with one byte. */
  const holding = (value: string): Buffer => Buffer.concat([nothing, Buffer.from('12090a022f61180a2a01', 'hex'), Buffer.from(value)]);
  /** The same at revision 8. */
  const early = Buffer.from('0a040801180a12090a022f6118082a0178', 'hex');
  const put = { key: '/a', expect: 0, value: Buffer.from('x') };
  const remove = { key: '/a', expect: 7, value: undefined };
  const rows = [
    ['is not known to be done where it may be what is there: the one that fills it is done', put, holding('x'), { code: 'unavailable', isUnconfirmed: true }],
    ['is not known to be done where nothing is left of what it removes', remove, nothing, { code: 'unavailable', isUnconfirmed: true }],
    ['has lost a race where something else is there', put, holding('y'), { done: false }],
    ['has lost a race where the same was there before', { ...put, expect: 3 }, early, { done: false }],
    ['is not done where nothing is there', put, nothing, { code: 'full', isUnconfirmed: false }],
  ] as const;
  for (const [what, write, found, expected] of rows) {
    it(what, async (t) => {
      const etcd = await ScriptedEtcd.start(() => HEAD);
      t.after(() => etcd.close());
      const engine = await openEngine(`etcd://${etcd.address}`);
      t.after(() => engine.close());
      etcd.script = (path) => (path === TXN ? { code: status.RESOURCE_EXHAUSTED, details: 'etcdserver: mvcc: database space exceeded' } : found);
      const outcome: object = await engine.commit(write).catch((failure: object) => failure);
      for (const [name, value] of Object.entries(expected)) assert.equal(Reflect.get(outcome, name), value, name);
    });
  }
});
