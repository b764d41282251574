import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, createControllerEnv, exchangeLocal } from '#client';
import { startControllers } from '#controllers';
import { deferred, silentLog, systemClock, type Clock } from '#base';
import { TEST_TOKENS, TurnedClock, type TestJson } from '#testing';
import { Cluster } from './cluster.ts';

/** Controllers of a server that tells them nothing of changes of one resource, until it says that they have missed too much. */
async function startDeaf(cluster: Cluster, plural: string, names: readonly string[], clock: Clock = new TurnedClock()) {
  const { exchange } = cluster.server.server;
  const missed = deferred<void>();
  async function* deaf(): AsyncGenerator<Uint8Array> {
    await missed.promise;
    yield Buffer.from(`${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } })}\n`);
  }
  let isDeaf = true;
  const ask: Parameters<typeof exchangeLocal>[0] = (request) => {
    if (!isDeaf || !request.path.includes(`/${plural}?`) || !request.path.includes('watch=')) return exchange(request);
    isDeaf = false;
    return Promise.resolve({ status: 200, headers: {}, stream: deaf() });
  };
  const client = createClient(exchangeLocal(ask, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'orch' });
  const ending = new AbortController();
  const env = createControllerEnv({ client, clock, retryClock: systemClock, log: silentLog, signal: ending.signal });
  const running = startControllers(new Set(names), { ...env, rootCa: 'PEM', issueToken: () => Promise.resolve('token') } as typeof env);
  await running.synced;
  return {
    /** What has changed meanwhile is heard as the difference of two lists. */
    hearAll: () => missed.resolve(),
    async stop() {
      await running.stop();
      ending.abort();
      await cluster.server.close();
    },
  };
}

test('a namespace that goes, in the place of one that went, is emptied', { timeout: 20_000 }, async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  await cluster.make('namespaces', { name: 'twice' });
  await cluster.make('twice/configmaps', { name: 'one', finalizers: ['example.com/hold'] });
  await cluster.delete('namespaces', 'twice');
  const { hearAll, stop } = await startDeaf(cluster, 'namespaces', ['namespace']);
  await cluster.until('twice/configmaps', 'one', (one) => one.metadata.deletionTimestamp !== undefined);
  await cluster.until('namespaces', 'twice', (one) => (one.status.conditions ?? []).length > 0);
  await cluster.merge('twice/configmaps', 'one', { metadata: { finalizers: null } });
  await cluster.gone('namespaces', 'twice');

  await cluster.make('namespaces', { name: 'twice' });
  await cluster.make('twice/configmaps', { name: 'one' });
  await cluster.delete('namespaces', 'twice');
  hearAll();
  await cluster.gone('namespaces', 'twice');
  await stop();
});

test('what was often put right in a namespace counts for nothing in another that has taken its place', { timeout: 20_000 }, async () => {
  const cluster = await Cluster.start({ controllers: 'namespace' });
  const name = cluster.brand.names.rootCaConfigMap;
  const isOwn = (one: TestJson): boolean => one?.data['ca.crt'] === 'PEM';
  await cluster.make('namespaces', { name: 'twice' });
  const { hearAll, stop } = await startDeaf(cluster, 'namespaces', ['root-ca-cert-publisher']);
  await cluster.appears('twice/configmaps', name);
  for (let times = 0; times < 2; times++) {
    await cluster.merge('twice/configmaps', name, { data: { 'ca.crt': 'other' } });
    await cluster.until('twice/configmaps', name, isOwn);
  }
  await cluster.delete('namespaces', 'twice');
  await cluster.gone('namespaces', 'twice');
  await cluster.make('namespaces', { name: 'twice' });
  hearAll();
  assert.ok(isOwn(await cluster.appears('twice/configmaps', name)));
  await stop();
});

test('a pod is left to its node, also to one that was not heard of; only where there is none it goes when its time is up', { timeout: 20_000 }, async () => {
  const clock = new TurnedClock();
  const cluster = await Cluster.start({ clock, controllers: 'none' });
  await cluster.make('default/serviceaccounts', { name: 'default' });
  await cluster.make('nodes', { name: 'known' });
  const { stop } = await startDeaf(cluster, 'nodes', ['podgc'], clock);
  await cluster.make('nodes', { name: 'late' });
  for (const nodeName of ['known', 'late', 'nowhere']) {
    await cluster.make('default/pods', { name: `on-${nodeName}` }, { spec: { nodeName, containers: [{ name: 'c', image: 'c' }] } });
    await cluster.delete('default/pods', `on-${nodeName}`);
  }
  clock.turn(31_000);
  await cluster.gone('default/pods', 'on-nowhere');
  for (const name of ['on-known', 'on-late']) assert.equal(await cluster.isThere('default/pods', name), true, name);
  await stop();
});

test('a claim stays for a pod that was not heard of', { timeout: 20_000 }, async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  await cluster.make('default/serviceaccounts', { name: 'default' });
  const { stop } = await startDeaf(cluster, 'pods', ['pvc-protection']);
  const claim = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'used' } }];
  for (const name of ['used', 'free']) await cluster.make('default/persistentvolumeclaims', { name }, claim);
  await cluster.make('default/pods', { name: 'user' }, { spec: { nodeName: 'n', volumes, containers: [{ name: 'c', image: 'c' }] } });
  for (const name of ['used', 'free']) await cluster.delete('default/persistentvolumeclaims', name);
  await cluster.gone('default/persistentvolumeclaims', 'free');
  assert.equal(await cluster.isThere('default/persistentvolumeclaims', 'used'), true);
  await stop();
});

/** How something is made whose time is up after so many seconds, and what gives it more time. */
const TIMED = [
  {
    controller: 'ttl-after-finished',
    collection: 'batch:default/jobs',
    async make(cluster: Cluster, name: string, seconds: number, nowMs: number): Promise<void> {
      const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'c' }] } };
      const made = await cluster.make('batch:default/jobs', { name }, { spec: { template, ttlSecondsAfterFinished: seconds } });
      const conditions = [{ type: 'Complete', status: 'True', lastTransitionTime: new Date(nowMs).toISOString() }];
      await cluster.ask('PUT', `${cluster.path('batch:default/jobs', name)}/status`, { ...made, status: { conditions } });
    },
    more: () => ({ spec: { ttlSecondsAfterFinished: 3_600 } }),
  },
  {
    controller: 'tokencleaner',
    collection: 'orch-system/secrets',
    make: async (cluster: Cluster, name: string, seconds: number, nowMs: number): Promise<void> =>
      void (await cluster.make('orch-system/secrets', { name: `bootstrap-token-${name}` }, {
        type: cluster.brand.names.bootstrapTokenSecret,
        stringData: { 'token-id': name, 'token-secret': '0123456789abcdef', expiration: endOf(seconds, nowMs) },
      })),
    prefix: 'bootstrap-token-',
    more: (nowMs: number) => ({ stringData: { expiration: endOf(3_600, nowMs) } }),
  },
] as const;

/** A job is let go by the garbage collector, in foreground. */
const isGoing = (one: TestJson): boolean => one === undefined || one.metadata.deletionTimestamp !== undefined;
const endOf = (seconds: number, nowMs: number): string => new Date(nowMs + seconds * 1_000).toISOString();

for (const { controller, collection, make, more, ...one } of TIMED) {
  test(`what was given more time is not deleted by one that has not heard of it: ${controller}`, { timeout: 20_000 }, async () => {
    const clock = new TurnedClock();
    const cluster = await Cluster.start({ clock, controllers: 'none' });
    const nameOf = (name: string): string => `${'prefix' in one ? one.prefix : ''}${name}`;
    await make(cluster, 'longer', 60, clock.nowMs());
    await make(cluster, 'behind', 61, clock.nowMs());
    const { stop } = await startDeaf(cluster, collection.split('/').at(-1) ?? '', [controller], clock);
    await cluster.merge(collection, nameOf('longer'), more(clock.nowMs()));
    // The controller does one after the other: it has tried the first when it has deleted the second.
    clock.turn(62_000);
    await cluster.until(collection, nameOf('behind'), isGoing);
    assert.equal(isGoing(await cluster.get(collection, nameOf('longer'))), false);
    await stop();
  });
}

test('a Secret that asks for a token gets one, also where its account was not heard of', { timeout: 20_000 }, async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  const { serviceAccountNameAnnotation, serviceAccountTokenSecret: type } = cluster.brand.names;
  const { stop } = await startDeaf(cluster, 'serviceaccounts', ['serviceaccount-token']);
  await cluster.make('default/serviceaccounts', { name: 'late' });
  await cluster.make('default/secrets', { name: 'wish', annotations: { [serviceAccountNameAnnotation]: 'late' } }, { type });
  const wish = await cluster.until('default/secrets', 'wish', (one) => one?.data?.token !== undefined);
  assert.equal(Buffer.from(wish.data.token, 'base64').toString(), 'token');
  await stop();
});

test('an account is given one token, also where that was not heard of', { timeout: 20_000 }, async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  const { stop } = await startDeaf(cluster, 'secrets', ['serviceaccount-token-autogeneration']);
  const isGiven = (one: TestJson): boolean => (one.secrets ?? []).length > 0;
  for (const name of ['first', 'second', 'third']) {
    await cluster.make('default/serviceaccounts', { name });
    await cluster.until('default/serviceaccounts', name, isGiven);
  }
  assert.equal((await cluster.get('default/serviceaccounts', 'first')).secrets.length, 1);
  await stop();
});
