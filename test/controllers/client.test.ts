import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createClient, exchangeLocal, isRefusal, runControllers, runForLeader, type Client, type Controller } from '#client';
import { deferred, silentLog, StillClock } from '#base';
import { ApiError } from '#errors';
import { ConfigMap, Namespace, Pod, ServiceAccount } from '#kinds';
import { TEST_TOKENS } from '#testing';
import { Cluster, DIALECTS } from './cluster.ts';

for (const dialect of DIALECTS) {
  describe(`the client (${dialect})`, () => {
    let cluster: Cluster;
    let client: Client;
    before(async () => {
      cluster = await Cluster.start({ dialect, controllers: 'none' });
      client = createClient(exchangeLocal(cluster.server.server.exchange, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect });
    });
    after(() => cluster.server.close());

    test('create, get, update, patch, delete', async () => {
      const maps = client.of(ConfigMap);
      const key = { namespace: 'default', name: 'a' };
      const made = await maps.create({ metadata: key, data: { a: '1' } });
      assert.deepEqual(await maps.get(key), made);
      const next = await maps.update({ ...made, data: { a: '2' } });
      await assert.rejects(maps.update({ ...made, data: { a: '3' } }), (cause) => isRefusal(cause, 'Conflict'));
      assert.notEqual(next.metadata.resourceVersion, made.metadata.resourceVersion);
      assert.deepEqual((await maps.patch(key, 'merge', { data: { b: '1' } })).data, { a: '2', b: '1' });
      assert.deepEqual((await maps.patch(key, 'json', [{ op: 'remove', path: '/data/b' }])).data, { a: '2' });
      const applied = await maps.patch(key, 'apply', { metadata: {}, data: { c: '1' } }, { fieldManager: 'me' });
      assert.deepEqual(applied.data, { a: '2', c: '1' });
      assert.deepEqual((await maps.patch(key, 'merge', { data: { d: '1' } }, { dryRun: true })).data, { a: '2', c: '1', d: '1' });
      await assert.rejects(maps.delete(key, { uid: 'another' }), (cause) => isRefusal(cause, 'Conflict'));
      await maps.delete(key, { uid: made.metadata.uid ?? '' });
      assert.equal(await maps.find(key), undefined);
      await assert.rejects(maps.get(key), (cause) => cause instanceof ApiError && cause.reason === 'NotFound' && cause.details?.name === 'a');
    });

    test('a whole number beyond 2^53 is written as it was read', async () => {
      const pods = client.of(Pod);
      const key = { namespace: 'default', name: 'patient' };
      await client.of(ServiceAccount).create({ metadata: { namespace: 'default', name: 'default' } });
      await pods.create({ metadata: key, spec: { containers: [{ name: 'a', image: 'a' }], terminationGracePeriodSeconds: 9_007_199_254_740_993n as unknown as number } });
      const read = await pods.get(key);
      await pods.update({ ...read, metadata: { ...read.metadata, labels: { a: 'b' } } });
      assert.equal((await pods.get(key)).spec.terminationGracePeriodSeconds, 9_007_199_254_740_993n);
      await pods.delete(key, { graceSeconds: 0 });
    });

    test('a list comes in pages, whole and of one moment', async () => {
      const maps = client.of(ConfigMap);
      for (const name of ['p1', 'p2', 'p3', 'p4', 'p5']) await maps.create({ metadata: { namespace: 'default', name, labels: { page: 'yes' } } });
      const pages: (string | undefined)[][] = [];
      for await (const { items } of maps.pages({ namespace: 'default', labelSelector: 'page=yes', limit: 2 })) {
        pages.push(items.map(({ metadata }) => metadata.name));
        if (pages.length === 1) await maps.delete({ namespace: 'default', name: 'p5' });
      }
      assert.deepEqual(pages, [['p1', 'p2'], ['p3', 'p4'], ['p5']]);
      const { items } = await maps.list({ labelSelector: 'page=yes', limit: 2 });
      assert.deepEqual(items.map(({ kind, apiVersion, metadata }) => [kind, apiVersion, metadata.name]), ['p1', 'p2', 'p3', 'p4'].map((name) => ['ConfigMap', 'v1', name]));
      await maps.deleteCollection({ namespace: 'default', labelSelector: 'page=yes' });
      assert.deepEqual((await maps.list({ labelSelector: 'page=yes' })).items, []);
    });

    test('a watch tells what comes, and ends when its reader leaves', async () => {
      const maps = client.of(ConfigMap);
      const { resourceVersion } = await maps.list();
      await maps.create({ metadata: { namespace: 'default', name: 'w' } });
      await maps.delete({ namespace: 'default', name: 'w' });
      const types: string[] = [];
      for await (const { type, object } of await maps.watch({ resourceVersion, fieldSelector: 'metadata.name=w' })) {
        types.push(`${type} ${object.metadata.name ?? ''}`);
        if (type === 'DELETED') break;
      }
      assert.deepEqual(types, ['ADDED w', 'DELETED w']);
    });

    test('subresources, and kinds found by discovery', async () => {
      const namespace = await client.of(Namespace).create({ metadata: { name: 'parts' } });
      await client.of(Namespace).update({ ...namespace, spec: {} }, { subresource: 'finalize' });
      const { resources, failures } = await client.discover();
      assert.deepEqual(failures, []);
      assert.deepEqual(resources.filter(({ plural }) => plural.includes('/')), []);
      const deployments = resources.find(({ plural }) => plural === 'deployments');
      assert.equal(deployments?.group, 'apps');
      const leases = resources.find(({ plural }) => plural === 'leases') ?? assert.fail();
      assert.equal(leases.group, cluster.brand.group('coordination'));
      await client.at(leases).create({ metadata: { namespace: 'default', name: 'l' } });
      const [only] = (await client.metadataAt(leases).list({ namespace: 'default' })).items;
      assert.equal(only?.metadata.name, 'l');
      assert.equal(only !== undefined && 'spec' in only, false);
    });

    test('metadata is read from a server that cannot leave out the rest', async () => {
      const leases = { group: cluster.brand.group('coordination'), version: 'v1', kind: 'Lease', plural: 'leases', isNamespaced: true, verbs: ['list'] };
      const { exchange } = cluster.server.server;
      // Takes media types as they are, with their parameters.
      const plain: typeof exchange = (request) => {
        const types = String(request.headers?.['accept']).split(',');
        return exchange({ ...request, headers: { ...request.headers, accept: types.find((type) => type === 'application/json') ?? 'text/none' } });
      };
      const other = createClient(exchangeLocal(plain, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect });
      const key = { namespace: 'default', name: 'whole' };
      await client.at(leases).create({ metadata: key });
      assert.deepEqual((await other.metadataAt(leases).get(key)).metadata.name, 'whole');
      assert.equal((await other.metadataAt(leases).list()).items.some(({ metadata }) => metadata.name === 'whole'), true);
    });

    test('one version is discovered alone; one that is not there has nothing', async () => {
      const { resources } = await client.discover('apps/v1');
      assert.deepEqual([...new Set(resources.map(({ group, version }) => `${group}/${version}`))], ['apps/v1']);
      const deployments = resources.find(({ kind }) => kind === 'Deployment');
      assert.deepEqual([deployments?.singular, deployments?.shortNames], ['deployment', ['deploy']]);
      const absent = await client.discover('apps/v9');
      assert.deepEqual([absent.resources, absent.failures], [[], []]);
    });

    test('one group is discovered alone, the core group as any other; one that is not there has nothing', async () => {
      const autoscaling = client.brand.group('autoscaling');
      for (const group of ['', autoscaling]) {
        const { resources, serves, failures } = await client.discoverGroup(group);
        const all = (await client.discover()).resources;
        assert.deepEqual([resources, failures], [all.filter((one) => one.group === group), []]);
        assert.deepEqual([serves('v1', 'Pod'), serves(`${autoscaling}/v2beta2`, 'HorizontalPodAutoscaler')], [group === '', group === autoscaling]);
      }
      const absent = await client.discoverGroup('absent.example.com');
      assert.deepEqual([absent.resources, absent.failures], [[], []]);
    });

    test('a kind is served in the versions that have it, also beside the preferred one, and in no other', async () => {
      const { serves } = await client.discover();
      const batch = client.brand.group('batch');
      assert.deepEqual([`${batch}/v1`, `${batch}/v1beta1`, `${batch}/v2`, 'v1', ''].map((version) => serves(version, 'CronJob')), [true, true, false, false, false]);
    });

    test('calls of any other kind say their status, and streams of lines their values', async () => {
      const metadata = { namespace: 'default', name: 'any' };
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
      const path = '/api/v1/namespaces/default/configmaps';
      const apply = { method: 'PATCH', path: `${path}/any?fieldManager=test`, headers: { 'content-type': 'application/apply-patch+yaml' }, body };
      assert.deepEqual([(await client.answer(apply)).status, (await client.answer(apply)).status], [201, 200]);
      for await (const [first] of await client.follow({ method: 'GET', path: `${path}?watch=true&fieldSelector=metadata.name=any` })) {
        assert.equal((first as { readonly type: string }).type, 'ADDED');
        break;
      }
    });

    test('what the server says of a refusal is what is thrown', async () => {
      await assert.rejects(client.of(ConfigMap).create({ metadata: { namespace: 'default', name: 'No_Name' } }), (cause) => {
        assert.ok(isRefusal(cause, 'Invalid'));
        assert.equal(cause.code, 422);
        assert.equal(cause.details?.causes?.[0]?.field, 'metadata.name');
        return true;
      });
    });
  });
}

test('who is no API server is told apart from one that refuses', async () => {
  const answering = (status: number, text: string): Client =>
    createClient(exchangeLocal(async () => ({ status, headers: {}, body: Buffer.from(text) })));
  const asked = (client: Client): Promise<unknown> => client.ask({ method: 'GET', path: '/api' });
  await assert.rejects(asked(answering(200, '<html>')), { name: 'TransportFailure', code: 'garbage', message: /did not answer with JSON: is it an API server\?/ });
  await assert.rejects(asked(answering(302, '')), { name: 'TransportFailure', code: 'refused-answer', status: 302 });
  await assert.rejects(asked(answering(502, '<html>')), { name: 'ApiError', code: 502 });
});

test('who stops controllers stops what they wait for with the signal they were given', async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  const client = createClient(exchangeLocal(cluster.server.server.exchange, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'orch' });
  const waiting = deferred<AbortSignal>();
  const patient: Controller<Namespace> = {
    name: 'patient',
    watches: Namespace,
    async reconcile(_key, { signal }) {
      waiting.resolve(signal);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      return undefined;
    },
  };
  const running = runControllers([patient], { client });
  const given = await waiting.promise;
  const stopped = running.stop();
  assert.equal(given.aborted, true);
  await stopped;
  await cluster.server.close();
});

test('where a controller cannot be prepared none runs: nobody could stop those before it', () => {
  const client = createClient(exchangeLocal(() => Promise.reject(new Error('nobody is there'))));
  const signals: AbortSignal[] = [];
  const controller = (name: string, prepare: NonNullable<Controller['prepare']>): Controller<Namespace> => ({ name, watches: Namespace, prepare, reconcile: async () => undefined });
  const good = controller('good', ({ signal }) => void signals.push(signal));
  const bad = controller('bad', () => assert.fail('not today'));
  assert.throws(() => runControllers([good, bad], { client }), { message: 'not today' });
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true],
  );
});

test('who waits for controllers to have seen everything hears of it where they are stopped before', async () => {
  const client = createClient(exchangeLocal(() => Promise.reject(new Error('nobody is there'))));
  const running = runControllers([{ name: 'early', watches: Namespace, reconcile: async () => undefined }], { client });
  await running.stop();
  await assert.rejects(running.synced, { message: 'the controllers were stopped before all informers had synced' });
});

test('controllers and candidates keep the process alive until they end: while a server is away nothing else does', async () => {
  const holding = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const client = createClient(exchangeLocal(() => Promise.reject(new Error('nobody is there'))));
  const before = holding();
  const running = runControllers([], { client });
  assert.equal(holding(), before + 1);
  await running.stop();
  assert.equal(holding(), before);
  const lease = { namespace: 'default', name: 'alive' };
  const competing = runForLeader({ client, clock: new StillClock(), log: silentLog, lease, identity: 'a', signal: AbortSignal.abort() }, async () => {});
  assert.equal(holding(), before + 1);
  await competing;
  assert.equal(holding(), before);
});
