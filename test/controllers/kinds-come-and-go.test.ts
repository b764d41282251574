import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import { createClient, createControllerEnv, exchangeLocal } from '#client';
import { startControllers } from '#controllers';
import { allKinds } from '#kinds';
import { deferred, silentLog, stayAlive, systemClock, type Clock } from '#base';
import { TEST_TOKENS, TurnedClock, type TestJson } from '#testing';
import { established } from '../support/definitions.ts';
import { Cluster } from './cluster.ts';

/** The server as it was before it had a group, until `isOpen` is set. */
class Curtain {
  isOpen = false;
  readonly #group = brandOf('orch').group('coordination');

  /** The path that is asked in place of another. */
  divert(path: string): string {
    return !this.isOpen && path === `/apis/${this.#group}` ? '/apis/absent.example.com' : path;
  }

  hide(path: string, body: Uint8Array): Uint8Array {
    if (this.isOpen || path !== '/apis') return body;
    const list = JSON.parse(new TextDecoder().decode(body)) as TestJson;
    return Buffer.from(JSON.stringify({ ...list, groups: list.groups.filter(({ name }: TestJson) => name !== this.#group) }));
  }
}

/** Time in which half a minute is over soon. */
const HURRIED: Clock = { nowMs: () => systemClock.nowMs(), after: (delayMs, run) => systemClock.after(delayMs / 100, run) };

test('owners of a kind that joins later, leaves again, and comes back', async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  const curtain = new Curtain();
  const { exchange } = cluster.server.server;
  const seen: string[] = [];
  const ask: Parameters<typeof exchangeLocal>[0] = async (request) => {
    seen.push(request.path);
    const answer = await exchange({ ...request, path: curtain.divert(request.path) });
    return 'body' in answer ? { ...answer, body: curtain.hide(request.path, answer.body) } : answer;
  };
  const client = createClient(exchangeLocal(ask, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'orch' });
  const clock = new TurnedClock();
  const ending = new AbortController();
  const running = startControllers(new Set(['garbagecollector']), createControllerEnv({ client, clock, retryClock: clock, log: silentLog, signal: ending.signal }));
  await running.synced;

  const lease = await cluster.make('coordination:default/leases', { name: 'owner' });
  const child = { name: 'child', ownerReferences: [cluster.ownedBy(lease)] };
  await cluster.make('default/configmaps', child);
  await cluster.delete('coordination:default/leases', 'owner');
  await cluster.collectorHasSeenAll();
  assert.equal(await cluster.isThere('default/configmaps', 'child'), true, 'whether an owner of an unknown kind is there, nobody can say');
  assert.equal(seen.some((path) => path.includes('/leases')), false);

  // The kind joins: what was not known is known now, and the child is tried again.
  curtain.isOpen = true;
  clock.turn(30_000);
  await cluster.gone('default/configmaps', 'child');
  const second = await cluster.make('coordination:default/leases', { name: 'second' });
  await cluster.make('default/configmaps', { name: 'follower', ownerReferences: [cluster.ownedBy(second)] });
  await cluster.delete('coordination:default/leases', 'second');
  await cluster.gone('default/configmaps', 'follower');

  // It leaves: owners that nobody follows any more are not believed to be there, but not believed to be gone either.
  await cluster.make('coordination:default/leases', { name: 'third' });
  const third = await cluster.get('coordination:default/leases', 'third');
  await cluster.make('default/configmaps', { name: 'kept', ownerReferences: [cluster.ownedBy(third)] });
  await cluster.collectorHasSeenAll();
  curtain.isOpen = false;
  clock.turn(30_000);
  await cluster.collectorHasSeenAll();
  assert.equal(await cluster.isThere('default/configmaps', 'kept'), true);

  // It comes back, long after.
  curtain.isOpen = true;
  clock.turn(30_000);
  await cluster.delete('coordination:default/leases', 'third');
  await cluster.gone('default/configmaps', 'kept');
  const fourth = await cluster.make('coordination:default/leases', { name: 'fourth' });
  await cluster.make('default/configmaps', { name: 'again', ownerReferences: [cluster.ownedBy(fourth)] });
  await cluster.collectorHasSeenAll();
  await cluster.delete('coordination:default/leases', 'fourth');
  await cluster.gone('default/configmaps', 'again');
  await running.stop();
  ending.abort();
  await cluster.server.close();
});

test('an object whose owner is of no kind that there is, is told of less and less often', async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  const client = createClient(exchangeLocal(cluster.server.server.exchange, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'orch' });
  const ending = new AbortController();
  const told: number[] = [];
  const enough = deferred<void>();
  const warn = (_message: string, { failures = 0 }: { readonly failures?: number } = {}): void => {
    told.push(failures);
    if (failures >= 8) enough.resolve();
  };
  const running = startControllers(new Set(['garbagecollector']), createControllerEnv({ client, clock: HURRIED, retryClock: HURRIED, log: { ...silentLog, warn }, signal: ending.signal }));
  const end = stayAlive();
  await running.synced;
  await cluster.make('default/configmaps', { name: 'child', ownerReferences: [{ apiVersion: 'gone.example.com/v1', kind: 'Gone', name: 'owner', uid: crypto.randomUUID() }] });
  await enough.promise;
  assert.deepEqual(told, [1, 2, 4, 8]);
  end();
  await running.stop();
  ending.abort();
  await cluster.server.close();
});

test('a definition that comes has its own group discovered, and no other', async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  const { exchange } = cluster.server.server;
  const discovered = new Set<string>();
  const ask: Parameters<typeof exchangeLocal>[0] = (request) => {
    if (/^\/(api(\/[^/]+)?|apis(\/[^/]+){0,2})$/.test(request.path)) discovered.add(request.path);
    return exchange(request);
  };
  const client = createClient(exchangeLocal(ask, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'orch' });
  const clock = new TurnedClock();
  const ending = new AbortController();
  const running = startControllers(new Set(['garbagecollector']), createControllerEnv({ client, clock, retryClock: systemClock, log: silentLog, signal: ending.signal }));
  await running.synced;
  await cluster.collectorHasSeenAll();
  discovered.clear();
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
  const names = { plural: 'gears', kind: 'Gear' };
  await cluster.make('apiextensions:customresourcedefinitions', { name: 'gears.example.com' }, { spec: { group: 'example.com', scope: 'Namespaced', names, versions } });
  await established(cluster.server, `/apis/${cluster.brand.group('apiextensions')}/v1/customresourcedefinitions/gears.example.com`);
  const nobody = { apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: crypto.randomUUID() };
  const gears = '/apis/example.com/v1/namespaces/default/gears';
  const orphan = await cluster.ask('POST', gears, { apiVersion: 'example.com/v1', kind: 'Gear', metadata: { name: 'orphan', ownerReferences: [nobody] } });
  const watch = await cluster.server.watch(`${gears}?watch=1&resourceVersion=${orphan.metadata.resourceVersion}`);
  assert.deepEqual((await watch.next(1)).map(({ type }) => type), ['DELETED']);
  assert.deepEqual([...discovered].sort(), ['/apis/example.com', '/apis/example.com/v1']);
  await watch.stop();
  await running.stop();
  ending.abort();
  await cluster.server.close();
});

test('an owner that is there and cannot be followed is asked for again', async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  const { exchange } = cluster.server.server;
  const ask: Parameters<typeof exchangeLocal>[0] = async (request) => {
    const answer = await exchange(request);
    if (!('body' in answer) || request.path !== `/apis/${brandOf('orch').group('coordination')}/v1`) return answer;
    return { ...answer, body: Buffer.from(Buffer.from(answer.body).toString().replaceAll(',"watch"', '')) };
  };
  const client = createClient(exchangeLocal(ask, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'orch' });
  const clock = new TurnedClock();
  const ending = new AbortController();
  const running = startControllers(new Set(['garbagecollector']), createControllerEnv({ client, clock, retryClock: systemClock, log: silentLog, signal: ending.signal }));
  await running.synced;
  const lease = await cluster.make('coordination:default/leases', { name: 'owner' });
  await cluster.make('default/configmaps', { name: 'child', ownerReferences: [cluster.ownedBy(lease)] });
  await cluster.collectorHasSeenAll();
  await cluster.delete('coordination:default/leases', 'owner');
  await cluster.collectorHasSeenAll();
  assert.equal(await cluster.isThere('default/configmaps', 'child'), true, 'nobody has said that it is gone');
  clock.turn(60_000);
  await cluster.gone('default/configmaps', 'child');
  await running.stop();
  ending.abort();
  await cluster.server.close();
});

test('an owner that goes in foreground waits for what blocks it also where that cannot be listed, and all else goes its way', async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  const { exchange } = cluster.server.server;
  let isBroken = true;
  const ask: Parameters<typeof exchangeLocal>[0] = (request) => (isBroken && /\/leases\?/.test(request.path) ? Promise.reject(new Error('a webhook that converts them is away')) : exchange(request));
  const client = createClient(exchangeLocal(ask, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'orch' });
  const ending = new AbortController();
  let toldOf = (_item: unknown): void => {};
  const log = { ...silentLog, warn: (_message: string, { item }: { readonly item?: unknown } = {}) => item !== undefined && toldOf(item) };
  const running = startControllers(new Set(['garbagecollector']), createControllerEnv({ client, clock: HURRIED, retryClock: HURRIED, log, signal: ending.signal }));
  const end = stayAlive();

  const owner = await cluster.make('default/configmaps', { name: 'owner' });
  const middle = await cluster.make('default/configmaps', { name: 'middle', ownerReferences: [cluster.ownedBy(owner, { blockOwnerDeletion: true })] });
  await cluster.make('coordination:default/leases', { name: 'last', ownerReferences: [cluster.ownedBy(middle, { blockOwnerDeletion: true })] });
  const other = await cluster.make('default/configmaps', { name: 'other' });
  await cluster.make('default/configmaps', { name: 'child', ownerReferences: [cluster.ownedBy(other)] });
  await running.synced;

  const unsure = new Promise((resolve) => (toldOf = resolve));
  await cluster.delete('default/configmaps', 'owner', { propagationPolicy: 'Foreground' });
  await cluster.delete('default/configmaps', 'other');
  await cluster.gone('default/configmaps', 'child');
  await Promise.race([unsure, cluster.gone('default/configmaps', 'middle')]);
  const there = await Promise.all(['owner', 'middle'].map((name) => cluster.isThere('default/configmaps', name)));
  assert.deepEqual(there, [true, true], 'something may block them that nobody knows');

  const { metadata } = await cluster.ask('GET', '/api/v1/configmaps');
  const watch = await cluster.server.watch(`${cluster.path('default/configmaps')}?watch=1&resourceVersion=${metadata.resourceVersion}`);
  isBroken = false;
  await cluster.gone('coordination:default/leases', 'last');
  const departed: string[] = [];
  while (departed.length < 2) for (const { type, object } of await watch.next(1)) if (type === 'DELETED') departed.push(object.metadata.name);
  assert.deepEqual(departed, ['middle', 'owner']);
  end();
  await watch.stop();
  await running.stop();
  ending.abort();
  await cluster.server.close();
});

test('dependents of a kind that can be listed no longer forget an owner that goes and leaves them', { timeout: 20_000 }, async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  const { exchange } = cluster.server.server;
  let isBroken = false;
  const ask: Parameters<typeof exchangeLocal>[0] = (request) => (isBroken && /\/leases\?/.test(request.path) ? Promise.reject(new Error('a webhook that converts them is away')) : exchange(request));
  const client = createClient(exchangeLocal(ask, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'orch' });
  const ending = new AbortController();
  const running = startControllers(new Set(['garbagecollector']), createControllerEnv({ client, clock: new TurnedClock(), retryClock: systemClock, log: silentLog, signal: ending.signal }));
  await running.synced;
  const leases = 'coordination:default/leases';
  const owner = await cluster.make('default/configmaps', { name: 'owner' });
  await cluster.make(leases, { name: 'child', ownerReferences: [cluster.ownedBy(owner)] });
  // What is heard of later has been heard of, too.
  await cluster.make(leases, { name: 'fence', ownerReferences: [cluster.ownedBy(owner, { uid: crypto.randomUUID() })] });
  await cluster.gone(leases, 'fence');
  isBroken = true;
  await cluster.delete('default/configmaps', 'owner', { propagationPolicy: 'Orphan' });
  await cluster.gone('default/configmaps', 'owner');
  assert.equal((await cluster.get(leases, 'child')).metadata.ownerReferences, undefined);
  await running.stop();
  ending.abort();
  await cluster.server.close();
});

test('a definition that is made between the discovery and the first list of definitions has its kind followed', { timeout: 20_000 }, async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  const { exchange } = cluster.server.server;
  const asked = deferred<void>();
  const made = deferred<void>();
  const ask: Parameters<typeof exchangeLocal>[0] = async (request) => {
    if (/\/(customresourcedefinitions|apiservices)\?/.test(request.path)) {
      asked.resolve();
      await made.promise;
    }
    return exchange(request);
  };
  const client = createClient(exchangeLocal(ask, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'orch' });
  const ending = new AbortController();
  const running = startControllers(new Set(['garbagecollector']), createControllerEnv({ client, clock: new TurnedClock(), retryClock: systemClock, log: silentLog, signal: ending.signal }));
  await asked.promise;
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
  const names = { plural: 'gears', kind: 'Gear' };
  await cluster.make('apiextensions:customresourcedefinitions', { name: 'gears.example.com' }, { spec: { group: 'example.com', scope: 'Namespaced', names, versions } });
  await established(cluster.server, cluster.path('apiextensions:customresourcedefinitions', 'gears.example.com'));
  made.resolve();
  await running.synced;
  const nobody = { apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: crypto.randomUUID() };
  const gears = '/apis/example.com/v1/namespaces/default/gears';
  const orphan = await cluster.ask('POST', gears, { apiVersion: 'example.com/v1', kind: 'Gear', metadata: { name: 'orphan', ownerReferences: [nobody] } });
  const watch = await cluster.server.watch(`${gears}?watch=1&resourceVersion=${orphan.metadata.resourceVersion}`);
  assert.deepEqual((await watch.next(1)).map(({ type }) => type), ['DELETED']);
  await watch.stop();
  await running.stop();
  ending.abort();
  await cluster.server.close();
});

test('many kinds that leave at once, and many that controllers follow, are no leak to be warned of', async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  const { exchange } = cluster.server.server;
  let isEmpty = false;
  const ask: Parameters<typeof exchangeLocal>[0] = async (request) => {
    const answer = await exchange(request);
    return isEmpty && request.path === '/apis' && 'body' in answer ? { ...answer, body: Buffer.from('{"kind":"APIGroupList","apiVersion":"v1","groups":[]}') } : answer;
  };
  const warnings: string[] = [];
  const hear = ({ message }: Error): number => warnings.push(message);
  process.on('warning', hear);
  const client = createClient(exchangeLocal(ask, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'orch' });
  const clock = new TurnedClock();
  const ending = new AbortController();
  const env = createControllerEnv({ client, clock, retryClock: systemClock, log: silentLog, signal: ending.signal });
  const running = startControllers(new Set(['garbagecollector']), env);
  await running.synced;
  await Promise.all(allKinds.filter(({ action }) => action === undefined).map((kind) => env.inform(kind).synced));

  isEmpty = true;
  const discovered = new Promise<void>((resolve) => {
    const { discover } = client;
    client.discover = async (...args) => {
      const found = await discover(...args);
      setImmediate(resolve);
      return found;
    };
  });
  clock.turn(30_000);
  await discovered;
  await running.stop();
  ending.abort();
  await cluster.server.close();
  process.off('warning', hear);
  assert.deepEqual(warnings, []);
});
