import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TurnedClock, type TestJson } from '#testing';
import { Cluster, DIALECTS } from './cluster.ts';

const GROUP = 'example.com';
const SCHEMA = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };

const condition = (namespace: TestJson, type: string): TestJson => namespace?.status.conditions?.find((one: TestJson) => one.type === type);

for (const dialect of DIALECTS) {
  describe(`kinds that others add (${dialect})`, () => {
    let cluster: Cluster;
    before(async () => {
      // Time stands still: kinds that join are noticed because somebody says so.
      cluster = await Cluster.start({ dialect, clock: new TurnedClock(), aggregateRoles: false });
    });
    after(() => cluster.server.close());

    const DEFINITIONS = 'apiextensions:customresourcedefinitions';

    async function declare(plural: string, kind: string, scope = 'Namespaced'): Promise<void> {
      const versions = [{ name: 'v1', served: true, storage: true, schema: SCHEMA }];
      const name = `${plural}.${GROUP}`;
      await cluster.make(DEFINITIONS, { name }, { spec: { group: GROUP, scope, names: { plural, kind }, versions } });
      await cluster.until(DEFINITIONS, name, ({ status }) => (status.conditions ?? []).some((one: TestJson) => one.type === 'Established' && one.status === 'True'));
    }

    const pathOf = (plural: string, namespace: string, name = ''): string => `/apis/${GROUP}/v1/namespaces/${namespace}/${plural}${name === '' ? '' : `/${name}`}`;
    const make = (plural: string, kind: string, namespace: string, metadata: object): Promise<TestJson> =>
      cluster.ask('POST', pathOf(plural, namespace), { apiVersion: `${GROUP}/v1`, kind, metadata });

    /** Returns once the garbage collector watches a kind: the first of these may be found by its list, the second one by its watch alone. */
    async function collectorFollows(plural: string, kind: string): Promise<void> {
      for (const name of ['fence-one', 'fence-two']) {
        const nobody = { apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: crypto.randomUUID() };
        const { metadata } = await make(plural, kind, 'default', { name, ownerReferences: [nobody] });
        const only = `fieldSelector=metadata.name%3D${name}`;
        const watch = await cluster.server.watch(`${pathOf(plural, 'default')}?watch=1&resourceVersion=${metadata.resourceVersion}&${only}`);
        assert.deepEqual((await watch.next(1)).map(({ type }) => type), ['DELETED']);
        await watch.stop();
      }
    }

    test('objects of a custom kind go with their namespace, and hold it with their finalizers', async () => {
      await declare('crates', 'Crate');
      await cluster.make('namespaces', { name: 'boxes' });
      await make('crates', 'Crate', 'boxes', { name: 'free' });
      await make('crates', 'Crate', 'boxes', { name: 'held', finalizers: ['example.com/hold'] });
      await cluster.delete('namespaces', 'boxes');
      const told = await cluster.until('namespaces', 'boxes', (one) => condition(one, 'NamespaceContentRemaining')?.status === 'True');
      assert.equal(condition(told, 'NamespaceContentRemaining').message, `Some resources are remaining: crates.${GROUP} has 1 resource instances`);
      const { status, text } = await cluster.server.patch('merge', pathOf('crates', 'boxes', 'held'), { metadata: { finalizers: null } });
      assert.equal(status, 200, text);
      await cluster.gone('namespaces', 'boxes');
    });

    test('objects of a custom kind own and are owned', async () => {
      await declare('gears', 'Gear');
      const owner = await cluster.make('default/configmaps', { name: 'owner' });
      const gear = await make('gears', 'Gear', 'default', { name: 'middle', ownerReferences: [cluster.ownedBy(owner)] });
      await cluster.make('default/configmaps', { name: 'last', ownerReferences: [cluster.ownedBy(gear)] });
      await cluster.collectorHasSeenAll();
      assert.equal(await cluster.isThere('default/configmaps', 'last'), true);
      await cluster.delete('default/configmaps', 'owner');
      await cluster.gone('default/configmaps', 'last');
    });

    test('objects of a custom kind go with its definition, and what they own with them', async () => {
      const COUNT = 40;
      await declare('wheels', 'Wheel');
      await collectorFollows('wheels', 'Wheel');
      const names = Array.from({ length: COUNT }, (_, at) => `at-${at}`);
      await Promise.all(
        names.map(async (name) => {
          const wheel = await make('wheels', 'Wheel', 'default', { name });
          await cluster.make('default/configmaps', { name: `of-${name}`, ownerReferences: [cluster.ownedBy(wheel)] });
        }),
      );
      const watch = await cluster.server.watch(`${pathOf('wheels', 'default')}?watch=1`);
      assert.deepEqual((await watch.next(COUNT)).map(({ type }) => type), names.map(() => 'ADDED'));
      await cluster.delete(DEFINITIONS, `wheels.${GROUP}`);
      const last = (await watch.rest()).map(({ type, object }) => `${type} ${object.metadata.name}`);
      assert.deepEqual(last.toSorted(), names.map((name) => `DELETED ${name}`).toSorted());
      await cluster.gone(DEFINITIONS, `wheels.${GROUP}`);
      for (const name of names) await cluster.gone('default/configmaps', `of-${name}`);
    });

    test('a namespace waits for an API that does not answer: nobody knows what is in it', async () => {
      await cluster.make('namespaces', { name: 'unknown' });
      await cluster.make('unknown/configmaps', { name: 'known' });
      const service = { namespace: 'default', name: 'nobody', port: 443 };
      const spec = { group: 'away.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10, service, insecureSkipTLSVerify: true };
      await cluster.make('apiregistration:apiservices', { name: 'v1.away.example.com' }, { spec });
      await cluster.until('apiregistration:apiservices', 'v1.away.example.com', (one) => (one?.status.conditions ?? []).length > 0);
      await cluster.delete('namespaces', 'unknown');
      const told = await cluster.until('namespaces', 'unknown', (one) => condition(one, 'NamespaceDeletionDiscoveryFailure')?.status === 'True');
      assert.equal(condition(told, 'NamespaceDeletionDiscoveryFailure').reason, 'DiscoveryFailed');
      assert.match(condition(told, 'NamespaceDeletionDiscoveryFailure').message, /: away\.example\.com\/v1: the server is currently unable to handle the request$/);
      // All that is known goes all the same.
      await cluster.gone('unknown/configmaps', 'known');
      await cluster.delete('apiregistration:apiservices', 'v1.away.example.com');
      await cluster.gone('namespaces', 'unknown');
    });
  });
}
