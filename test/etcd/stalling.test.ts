import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { StorageFailure, type Commit, type Engine } from '#storage';
import { startTestServer } from '#testing';
import { NO_ETCD } from './etcd-process.ts';
import { FeedRecorder } from './feed-recorder.ts';
import { checkFeed, NearAndFar } from './near-and-far.ts';
import { StallingProxy } from './stalling-proxy.ts';

/** Longer than anything here may take. */
const TIMEOUT_MS = 90_000;
const MAPS = '/api/v1/namespaces/default/configmaps';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Waiting for it is no failure. */
async function failureOf(call: Promise<unknown>): Promise<StorageFailure> {
  const error = await call.then(() => assert.fail('nothing gets through, and yet there was an answer'), (cause: unknown) => cause);
  assert.ok(error instanceof StorageFailure && error.code === 'unavailable', String(error));
  return error;
}

describe('a network to etcd that stalls', { skip: NO_ETCD, timeout: TIMEOUT_MS }, () => {
  let world: NearAndFar<StallingProxy>;
  let proxy: StallingProxy;
  let near: Engine;
  let far: Engine;

  beforeEach(async () => {
    world = await NearAndFar.open((target) => StallingProxy.to(target));
    ({ proxy, near, far } = world);
  });
  afterEach(() => world.close());

  it('and goes on: those who follow miss nothing and see nothing twice', async () => {
    const recorder = new FeedRecorder(far, '/w/', 1);
    for (let round = 0; round < 3; round++) {
      await recorder.reached(await world.write(10));
      proxy.stall();
      const head = await world.write(10);
      proxy.goOn();
      await checkFeed(recorder, head);
    }
  });

  it('for ever, on the connections there are: it is noticed, and those who follow go on over new ones', async () => {
    const recorder = new FeedRecorder(far, '/w/', 1);
    await recorder.reached(await world.write(10));
    proxy.stall();
    proxy.forgetConnections();
    await checkFeed(recorder, await world.write(10));
    assert.equal(await far.head(), await near.head());
  });

  it('writes that wait for one another are given up together, and so is a look at what is newest behind another', async () => {
    proxy.stall();
    const settled: string[] = [];
    const writes = Array.from({ length: 6 }, (_, i) => far.commit({ key: '/w/a', expect: 0, value: bytes(`${i}`) }));
    // Each of these needs a lease first.
    writes.push(...Array.from({ length: 3 }, (_, i) => far.commit({ key: '/w/t', expect: 0, value: bytes(`${i}`), ttlSeconds: 60 })));
    const waiting = writes.map(async (one) => {
      const { message } = await failureOf(one);
      assert.match(message, /^etcd: /);
      settled.push('write');
    });
    const heads = [failureOf(far.head()), Promise.resolve().then(() => failureOf(far.head()))];
    // Two that are asked one after the other take twice as long as one: everything else is over by then.
    await failureOf(far.get('/w/a'));
    await failureOf(far.get('/w/a'));
    settled.push('both reads');
    await Promise.all([...waiting, ...heads]);
    assert.deepEqual(settled, [...writes.map(() => 'write'), 'both reads']);
    proxy.goOn();
    // One of them may have been on its way: it counts once.
    const commit: Commit = await near.commit({ key: '/w/b', expect: 0, value: bytes('x') });
    assert.ok(commit.done && commit.revision <= 3);
  });

  it('a server says that the store is not available, and goes on with every watch afterwards', async () => {
    const server = await startTestServer({ controllers: 'none', aggregateRoles: false, store: `etcd://${proxy.address}?prefix=/api` });
    const other = await startTestServer({ controllers: 'none', aggregateRoles: false, store: `etcd://${world.etcd.address}?prefix=/api` });
    const create = (name: string): Promise<{ status: number }> => other.request('POST', MAPS, { metadata: { name, labels: { by: 'other' } } });
    const watch = await server.watch(`${MAPS}?watch=true&labelSelector=by`);
    await create('a');
    await watch.next(1);
    proxy.stall();
    await create('b');
    const answers = await Promise.all([
      server.request('GET', `${MAPS}/a`),
      server.request('GET', MAPS),
      server.request('PUT', `${MAPS}/a`, { metadata: { name: 'a' }, data: { lost: 'or not' } }),
      server.request('POST', MAPS, { metadata: { name: 'c' } }),
    ]);
    for (const { status, body } of answers) assert.deepEqual([status, body.reason, body.message], [503, 'ServiceUnavailable', 'the store is not available, try again']);
    proxy.goOn();
    await create('d');
    const events = await watch.next(2);
    assert.deepEqual(events.map(({ type, object }) => `${type} ${object.metadata.name}`), ['ADDED b', 'ADDED d']);
    assert.equal((await server.request('POST', MAPS, { metadata: { name: 'e' } })).status, 201);
    await watch.stop();
    await Promise.all([server.close(), other.close()]);
  });

  it('a watch is answered once it is known what it begins with: every later change comes on its own', async () => {
    const server = await startTestServer({ controllers: 'none', aggregateRoles: false, store: `etcd://${proxy.address}?prefix=/api` });
    const other = await startTestServer({ controllers: 'none', aggregateRoles: false, store: `etcd://${world.etcd.address}?prefix=/api` });
    const path = `${MAPS}?watch=true&labelSelector=by`;
    await (await server.watch(path)).stop();
    proxy.stall();
    let isAnswered = false;
    const opening = server.watch(path).finally(() => (isAnswered = true));
    await other.request('POST', MAPS, { metadata: { name: 'a', labels: { by: 'other' } } });
    // This server could have answered meanwhile.
    assert.equal((await server.request('GET', '/version')).status, 200);
    assert.equal(isAnswered, false);
    proxy.goOn();
    const watch = await opening;
    await other.request('POST', MAPS, { metadata: { name: 'b', labels: { by: 'other' } } });
    await other.request('DELETE', `${MAPS}/b`);
    assert.deepEqual((await watch.next(3)).map(({ type, object }) => `${type} ${object.metadata.name}`), ['ADDED a', 'ADDED b', 'DELETED b']);
    await watch.stop();
    await Promise.all([server.close(), other.close()]);
  });
});
