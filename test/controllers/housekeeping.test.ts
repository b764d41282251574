import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createClient, createControllerEnv, exchangeLocal } from '#client';
import { startControllers } from '#controllers';
import { deferred, silentLog, systemClock } from '#base';
import { TEST_TOKENS, TurnedClock, type TestJson } from '#testing';
import { Cluster, DIALECTS } from './cluster.ts';

for (const dialect of DIALECTS) {
  describe(`what a server keeps in order by itself (${dialect})`, () => {
    let cluster: Cluster;
    before(async () => {
      cluster = await Cluster.start({ dialect, rootCa: 'PEM', aggregateRoles: false });
    });
    after(() => cluster.server.close());

    test('R5.9-02 R5.9-03 every namespace has an account named default, and a deleted one is made again', async () => {
      const first = await cluster.appears('default/serviceaccounts', 'default');
      await cluster.make('namespaces', { name: 'new' });
      await cluster.appears('new/serviceaccounts', 'default');
      await cluster.delete('default/serviceaccounts', 'default');
      await cluster.until('default/serviceaccounts', 'default', (one) => one !== undefined && one.metadata.uid !== first.metadata.uid);
    });

    test('every namespace has the root certificate, and it is kept as it is', async () => {
      const name = { orch: 'orch-root.crt', kubernetes: 'kube-root-ca.crt' }[dialect];
      assert.deepEqual((await cluster.appears('default/configmaps', name)).data, { 'ca.crt': 'PEM' });
      await cluster.merge('default/configmaps', name, { data: { 'ca.crt': 'other' } });
      await cluster.until('default/configmaps', name, (one) => one?.data['ca.crt'] === 'PEM');
      await cluster.delete('default/configmaps', name);
      await cluster.appears('default/configmaps', name);
    });

    test('the root certificate is described, in the words of others where there are any', async () => {
      const name = { orch: 'orch-root.crt', kubernetes: 'kube-root-ca.crt' }[dialect];
      const key = { orch: 'orch.io/description', kubernetes: 'kubernetes.io/description' }[dialect];
      const change = (text: string | null, data: object): Promise<unknown> =>
        cluster.merge('described/configmaps', name, { metadata: { annotations: { [key]: text, mine: 'too' } }, data });
      const described = async (): Promise<TestJson> =>
        (await cluster.until('described/configmaps', name, (one) => one?.data['ca.crt'] === 'PEM' && Boolean(one.metadata.annotations?.[key]))).metadata.annotations;
      await cluster.make('namespaces', { name: 'described' });
      const first = await described();
      assert.match(first[key], /verify the API server/);
      await change(null, {});
      assert.deepEqual(await described(), { ...first, mine: 'too' });
      await change('Ours.', { 'ca.crt': 'other' });
      assert.equal((await described())[key], 'Ours.');
    });

    test('R2.15 roles that are put together from others have their rules, and follow them', async () => {
      await cluster.until('rbac:clusterroles', 'view', (one) => (one.rules ?? []).length > 0);
      const label = `${cluster.brand.group('rbac')}/aggregate-to-view`;
      const rule = { apiGroups: ['example.com'], resources: ['things'], verbs: ['get'] };
      const hasRule = (one: { readonly rules?: readonly { readonly resources?: readonly string[] }[] | null }): boolean =>
        (one.rules ?? []).some(({ resources }) => resources?.includes('things') === true);
      await cluster.make('rbac:clusterroles', { name: 'extra', labels: { [label]: 'true' } }, { rules: [rule] });
      // `admin` is made of `edit`, which is made of `view`.
      const { metadata } = await cluster.until('rbac:clusterroles', 'admin', hasRule);
      const owners = metadata.managedFields.filter(({ fieldsV1 }: TestJson) => fieldsV1['f:rules'] !== undefined);
      assert.deepEqual(owners.map(({ manager, operation }: TestJson) => [manager, operation]), [['clusterrole-aggregation-controller', 'Apply']]);
      await cluster.delete('rbac:clusterroles', 'extra');
      await cluster.until('rbac:clusterroles', 'admin', (one) => !hasRule(one));
    });

    test('R4.11-19 the status of a quota says what is used, and follows what comes and goes', async () => {
      await cluster.namespace('limited');
      const hard = { configmaps: '5', pods: '10', 'requests.cpu': '4', 'count/deployments.apps': '3', 'services.nodeports': '1' };
      await cluster.make('limited/resourcequotas', { name: 'quota' }, { spec: { hard } });
      const usedIs = (name: string, amount: string) => (one: { readonly status: { readonly used?: Record<string, string> } }) => one.status.used?.[name] === amount;
      const { status } = await cluster.until('limited/resourcequotas', 'quota', (one) => one.status.hard !== undefined);
      assert.deepEqual(status.hard, hard);
      assert.equal(status.used['count/deployments.apps'], '0');
      for (const name of ['one', 'two']) {
        const resources = { requests: { cpu: '500m' } };
        await cluster.make('limited/pods', { name }, { spec: { containers: [{ name: 'c', image: 'c', resources }] } });
      }
      await cluster.until('limited/resourcequotas', 'quota', usedIs('requests.cpu', '1'));
      await cluster.until('limited/resourcequotas', 'quota', usedIs('pods', '2'));
      await cluster.delete('limited/pods', 'one', { gracePeriodSeconds: 0 });
      await cluster.until('limited/resourcequotas', 'quota', usedIs('requests.cpu', '500m'));
    });

    test('a claim stays while a pod on a node uses it; a volume stays while it is bound', async () => {
      const claim = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
      for (const name of ['used', 'free']) await cluster.make('default/persistentvolumeclaims', { name }, claim);
      const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'used' } }];
      await cluster.appears('default/serviceaccounts', 'default');
      await cluster.make('default/pods', { name: 'user' }, { spec: { nodeName: 'n', volumes, containers: [{ name: 'c', image: 'c' }] } });
      for (const name of ['used', 'free']) await cluster.delete('default/persistentvolumeclaims', name);
      await cluster.gone('default/persistentvolumeclaims', 'free');
      assert.equal(await cluster.isThere('default/persistentvolumeclaims', 'used'), true);
      await cluster.delete('default/pods', 'user', { gracePeriodSeconds: 0 });
      await cluster.gone('default/persistentvolumeclaims', 'used');

      const volume = { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } } };
      const made = await cluster.make('persistentvolumes', { name: 'volume' }, volume);
      await cluster.ask('PUT', `${cluster.path('persistentvolumes', 'volume')}/status`, { ...made, status: { phase: 'Bound' } });
      await cluster.delete('persistentvolumes', 'volume');
      const held = await cluster.get('persistentvolumes', 'volume');
      await cluster.ask('PUT', `${cluster.path('persistentvolumes', 'volume')}/status`, { ...held, status: { phase: 'Released' } });
      await cluster.gone('persistentvolumes', 'volume');
    });

    test('volumes and claims whose mark somebody takes away get it again', { timeout: 20_000 }, async () => {
      const { domain } = cluster.brand.names;
      const size = { storage: '1Gi' };
      await cluster.make('persistentvolumes', { name: 'marked' }, { spec: { capacity: size, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } } });
      await cluster.make('default/persistentvolumeclaims', { name: 'marked' }, { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: size } } });
      for (const [collection, mark] of [['persistentvolumes', `${domain}/pv-protection`], ['default/persistentvolumeclaims', `${domain}/pvc-protection`]] as const) {
        await cluster.merge(collection, 'marked', { metadata: { finalizers: ['example.com/own'] } });
        const { metadata } = await cluster.until(collection, 'marked', (one) => one.metadata.finalizers.includes(mark));
        assert.deepEqual(metadata.finalizers, ['example.com/own', mark]);
      }
    });

    test('a pod that its node is done with waits for the claims that were made for it, and not they for it', { timeout: 20_000 }, async () => {
      await cluster.appears('default/serviceaccounts', 'default');
      const claim = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
      const ephemeral = { volumeClaimTemplate: claim };
      const pod = await cluster.make('default/pods', { name: 'owner' }, { spec: { nodeName: 'n', volumes: [{ name: 'v', ephemeral }], containers: [{ name: 'c', image: 'c' }] } });
      const owner = cluster.ownedBy(pod, { controller: true, blockOwnerDeletion: true });
      await cluster.make('default/persistentvolumeclaims', { name: 'owner-v', ownerReferences: [owner] }, claim);
      await cluster.delete('default/persistentvolumeclaims', 'owner-v');
      await cluster.make('default/persistentvolumeclaims', { name: 'fence' }, claim);
      await cluster.delete('default/persistentvolumeclaims', 'fence');
      await cluster.gone('default/persistentvolumeclaims', 'fence');
      assert.equal(await cluster.isThere('default/persistentvolumeclaims', 'owner-v'), true);
      await cluster.delete('default/pods', 'owner', { gracePeriodSeconds: 0, propagationPolicy: 'Foreground' });
      await cluster.gone('default/pods', 'owner');
      await cluster.gone('default/persistentvolumeclaims', 'owner-v');
    });
  });
}

test('what was charged to a quota and is still on its way keeps its place; the place of what does not come is given to others', { timeout: 60_000 }, async () => {
  const cluster = await Cluster.start({ clock: new TurnedClock(), controllers: 'resourcequota' });
  const usedIs = (amount: string) => (one: { readonly status: { readonly used?: Record<string, string> } }) => one.status.used?.['configmaps'] === amount;
  const create = async (name: string): Promise<number> => (await cluster.server.request('POST', cluster.path('limited/configmaps'), { metadata: { name } })).status;
  await cluster.make('namespaces', { name: 'limited' });
  await cluster.make('limited/resourcequotas', { name: 'quota' }, { spec: { hard: { configmaps: '3' } } });
  await cluster.until('limited/resourcequotas', 'quota', usedIs('0'));
  assert.deepEqual([await create('a'), await create('b')], [201, 201]);
  // As another server does before it stores what it let in.
  await cluster.merge('limited/resourcequotas', 'quota/status', { status: { used: { configmaps: '3' } } });
  for (const [gone, left] of [['a', '2'], ['b', '1']] as const) {
    await cluster.delete('limited/configmaps', gone);
    await cluster.until('limited/resourcequotas', 'quota', usedIs(left));
  }
  assert.deepEqual([await create('c'), await create('d'), await create('e')], [201, 201, 403]);
  // What the controller hears of later it would wait for from then on: it has heard of all that was charged when it knows of another limit.
  await cluster.merge('limited/resourcequotas', 'quota', { spec: { hard: { secrets: '1' } } });
  await cluster.until('limited/resourcequotas', 'quota', ({ status }) => status.hard['secrets'] === '1');
  cluster.server.clock.advance('3s');
  await cluster.until('limited/resourcequotas', 'quota', usedIs('2'));
  assert.equal(await create('e'), 201);
  await cluster.server.close();
});

test('controllers that are left out do nothing; names that are not known fail the start', async () => {
  const cluster = await Cluster.start({ controllers: '*,-serviceaccount' });
  await cluster.collectorHasSeenAll();
  assert.equal(await cluster.isThere('default/serviceaccounts', 'default'), false);
  await cluster.server.close();
  await assert.rejects(Cluster.start({ controllers: '*,-nobody' }), /no controller "nobody".*garbagecollector.*serviceaccount/);
});

test('where another program publishes another root certificate, the server puts its own back, but later and later', async () => {
  const clock = new TurnedClock();
  const cluster = await Cluster.start({ dialect: 'kubernetes', clock, controllers: 'root-ca-cert-publisher', rootCa: 'PEM', aggregateRoles: false });
  const name = 'kube-root-ca.crt';
  const isOwn = (one: TestJson): boolean => one?.data['ca.crt'] === 'PEM';
  const publishAnother = (): Promise<unknown> => cluster.merge('default/configmaps', name, { data: { 'ca.crt': 'other' } });
  await cluster.appears('default/configmaps', name);
  for (let times = 0; times < 2; times++) {
    await publishAnother();
    await cluster.until('default/configmaps', name, isOwn);
  }
  await publishAnother();
  await cluster.make('namespaces', { name: 'later' });
  assert.ok(isOwn(await cluster.appears('later/configmaps', name)));
  assert.ok(!isOwn(await cluster.appears('default/configmaps', name)));
  clock.turn(1000);
  await cluster.until('default/configmaps', name, isOwn);
  await cluster.server.close();
});

test('a namespace that is made again under its name has the root certificate at once, however often', { timeout: 20_000 }, async () => {
  const cluster = await Cluster.start({ clock: new TurnedClock(), controllers: 'namespace,root-ca-cert-publisher', rootCa: 'PEM', aggregateRoles: false });
  for (let times = 0; times < 6; times++) {
    await cluster.make('namespaces', { name: 'again' });
    await cluster.appears('again/configmaps', 'orch-root.crt');
    await cluster.delete('namespaces', 'again');
    await cluster.gone('namespaces', 'again');
  }
  await cluster.server.close();
});

test('a role that is put together from others and is deleted while it is put together does not come back', async () => {
  const cluster = await Cluster.start({ controllers: 'none', aggregateRoles: false });
  const roles = 'rbac:clusterroles';
  await cluster.make(roles, { name: 'whole' }, { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: 'yes' } }] }, rules: [] });
  await cluster.make(roles, { name: 'part', labels: { part: 'yes' } }, { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] });
  const { exchange } = cluster.server.server;
  const answered = deferred<number>();
  const ask: typeof exchange = async (request) => {
    if (request.method !== 'PATCH' || !request.path.startsWith(cluster.path(roles, 'whole'))) return exchange(request);
    await cluster.delete(roles, 'whole');
    const answer = await exchange(request);
    answered.resolve(answer.status);
    return answer;
  };
  const client = createClient(exchangeLocal(ask, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'orch' });
  const ending = new AbortController();
  const failures: string[] = [];
  const log = { ...silentLog, warn: (message: string) => failures.push(message) };
  const running = startControllers(new Set(['clusterrole-aggregation']), createControllerEnv({ client, clock: systemClock, log, signal: ending.signal }));
  assert.equal(await answered.promise, 409);
  await running.stop();
  assert.equal(await cluster.isThere(roles, 'whole'), false);
  assert.deepEqual(failures, []);
  ending.abort();
  await cluster.server.close();
});
