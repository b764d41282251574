import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { TurnedClock, type TestJson } from '#testing';
import { Cluster, DIALECTS } from './cluster.ts';

const POD = { spec: { nodeName: 'node-1', containers: [{ name: 'c', image: 'c' }] } };
const condition = (namespace: TestJson, type: string): TestJson => namespace?.status.conditions?.find((one: TestJson) => one.type === type);

for (const dialect of DIALECTS) {
  describe(`namespaces under deletion (${dialect})`, () => {
    // Time stands still: nothing here may depend on a timer.
    const clock = new TurnedClock();
    let cluster: Cluster;
    before(async () => {
      cluster = await Cluster.start({ dialect, clock });
    });
    after(() => cluster.server.close());

    test('R1-22 everything inside goes, and then the namespace', async () => {
      await cluster.namespace('full');
      const paths = ['full/configmaps', 'full/secrets', 'full/pods', 'apps:full/controllerrevisions', 'networking:full/networkpolicies', 'coordination:full/leases'];
      for (const collection of paths) {
        await cluster.make(collection, { name: 'one' }, collection.includes('pods') ? { spec: { containers: POD.spec.containers } } : { data: {}, revision: 1, spec: {} });
      }
      await cluster.delete('namespaces', 'full');
      await cluster.gone('namespaces', 'full');
      for (const collection of paths) assert.deepEqual((await cluster.ask('GET', cluster.path(collection))).items, [], collection);
      await cluster.namespace('full');
    });

    test('pods go before the network policies that guard them; conditions say what is left', async () => {
      await cluster.namespace('guarded');
      await cluster.make('nodes', { name: 'node-1' });
      await cluster.make('guarded/pods', { name: 'running' }, POD);
      await cluster.make('networking:guarded/networkpolicies', { name: 'wall' }, { spec: { podSelector: {} } });
      await cluster.make('guarded/configmaps', { name: 'plain' });
      await cluster.delete('namespaces', 'guarded');
      const told = await cluster.until('namespaces', 'guarded', (one) => condition(one, 'NamespaceContentRemaining')?.status === 'True');
      const group = cluster.brand.group('networking');
      assert.equal(
        condition(told, 'NamespaceContentRemaining').message,
        `Some resources are remaining: networkpolicies.${group} has 1 resource instances, pods. has 1 resource instances`,
      );
      assert.equal(condition(told, 'NamespaceContentRemaining').reason, 'SomeResourcesRemain');
      assert.equal(condition(told, 'NamespaceDeletionContentFailure').status, 'False');
      assert.equal(told.status.phase, 'Terminating');
      assert.equal(await cluster.isThere('guarded/configmaps', 'plain'), false);
      assert.equal((await cluster.get('networking:guarded/networkpolicies', 'wall')).metadata.deletionTimestamp, undefined);
      // As its node would.
      await cluster.delete('guarded/pods', 'running', { gracePeriodSeconds: 0 });
      await cluster.gone('namespaces', 'guarded');
    });

    test('an object with a finalizer holds its namespace, and a condition says which', async () => {
      await cluster.make('namespaces', { name: 'held' });
      await cluster.make('held/configmaps', { name: 'one', finalizers: ['example.com/hold'] });
      await cluster.delete('namespaces', 'held');
      const told = await cluster.until('namespaces', 'held', (one) => condition(one, 'NamespaceFinalizersRemaining')?.status === 'True');
      assert.equal(
        condition(told, 'NamespaceFinalizersRemaining').message,
        'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
      );
      await cluster.merge('held/configmaps', 'one', { metadata: { finalizers: null } });
      await cluster.gone('namespaces', 'held');
    });

    test('a namespace that was finalized before its deletion is emptied and goes all the same', async () => {
      await cluster.namespace('early');
      await cluster.make('early/configmaps', { name: 'one', finalizers: ['example.com/hold'] });
      await cluster.ask('PUT', `${cluster.path('namespaces', 'early')}/finalize`, { ...(await cluster.get('namespaces', 'early')), spec: {} });
      await cluster.delete('namespaces', 'early');
      await cluster.until('early/configmaps', 'one', (one) => one.metadata.deletionTimestamp !== undefined);
      assert.equal((await cluster.get('namespaces', 'early')).status.phase, 'Terminating');
      await cluster.merge('early/configmaps', 'one', { metadata: { finalizers: null } });
      await cluster.gone('namespaces', 'early');
    });

    test('a namespace that somebody else alone holds is emptied all the same', { timeout: 20_000 }, async () => {
      await cluster.namespace('foreign');
      await cluster.make('foreign/configmaps', { name: 'one' });
      const spec = { finalizers: ['example.com/mine'] };
      await cluster.ask('PUT', `${cluster.path('namespaces', 'foreign')}/finalize`, { ...(await cluster.get('namespaces', 'foreign')), spec });
      await cluster.delete('namespaces', 'foreign');
      await cluster.gone('foreign/configmaps', 'one');
      const emptied = await cluster.until('namespaces', 'foreign', (one) => condition(one, 'NamespaceContentRemaining')?.status === 'False');
      assert.deepEqual(emptied.spec, spec);
      await cluster.ask('PUT', `${cluster.path('namespaces', 'foreign')}/finalize`, { ...emptied, spec: {} });
      await cluster.gone('namespaces', 'foreign');
    });

    test('a finalizer of its own keeps an empty namespace', async () => {
      await cluster.make('namespaces', { name: 'kept' }, { spec: { finalizers: ['example.com/mine'] } });
      await cluster.delete('namespaces', 'kept');
      const emptied = await cluster.until('namespaces', 'kept', (one) => one.spec.finalizers.length === 1);
      assert.deepEqual(emptied.spec.finalizers, ['example.com/mine']);
      for (const { type, status } of emptied.status.conditions) assert.equal(status, 'False', type);
      await cluster.ask('PUT', `${cluster.path('namespaces', 'kept')}/finalize`, { ...emptied, spec: {} });
      await cluster.gone('namespaces', 'kept');
    });
  });
}

test('a pod on a node that is gone goes once its time is up, and the namespace with it', async () => {
  const clock = new TurnedClock();
  const cluster = await Cluster.start({ clock });
  try {
    await cluster.namespace('lost');
    await cluster.make('lost/pods', { name: 'one' }, POD);
    await cluster.delete('namespaces', 'lost');
    const told = await cluster.until('namespaces', 'lost', (one) => condition(one, 'NamespaceContentRemaining')?.status === 'True');
    assert.equal(told.spec.finalizers.length, 1);
    assert.equal(await cluster.isThere('lost/pods', 'one'), true);
    clock.turn(31_000);
    await cluster.gone('namespaces', 'lost');
  } finally {
    await cluster.server.close();
  }
});

test('what one server began another one ends', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'orch-controllers-'));
  const store = `lmdb://${folder}`;
  try {
    const first = await Cluster.start({ store, controllers: 'none' });
    await first.make('namespaces', { name: 'begun' });
    const owner = await first.make('default/configmaps', { name: 'owner' });
    await first.make('default/configmaps', { name: 'follower', ownerReferences: [first.ownedBy(owner)] });
    const foreground = await first.make('default/configmaps', { name: 'foreground' });
    await first.make('default/configmaps', { name: 'blocker', ownerReferences: [first.ownedBy(foreground, { blockOwnerDeletion: true })] });
    await first.make('begun/configmaps', { name: 'one' });
    await first.delete('namespaces', 'begun');
    await first.delete('default/configmaps', 'owner');
    await first.delete('default/configmaps', 'foreground', { propagationPolicy: 'Foreground' });
    await first.server.close();
    const second = await Cluster.start({ store });
    await second.gone('namespaces', 'begun');
    for (const name of ['follower', 'blocker', 'foreground']) await second.gone('default/configmaps', name);
    await second.server.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
