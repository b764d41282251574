import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TEST_TOKENS, TurnedClock, type TestJson } from '#testing';
import { Cluster, DIALECTS } from './cluster.ts';

const MAPS = 'default/configmaps';
const CRON = { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'c' }] } } } } };
const BLOCKING = { blockOwnerDeletion: true };

for (const dialect of DIALECTS) {
  describe(`garbage collection (${dialect})`, () => {
    let cluster: Cluster;
    let count = 0;
    before(async () => {
      cluster = await Cluster.start({ dialect, clock: new TurnedClock() });
    });
    after(() => cluster.server.close());

    /** A ConfigMap of a name of its own, owned by others. */
    const make = (name: string, ...owners: readonly object[]): Promise<TestJson> =>
      cluster.make(MAPS, { name: `${name}-${++count}`, ...(owners.length === 0 ? {} : { ownerReferences: owners }) });
    const gone = ({ metadata }: TestJson): Promise<TestJson> => cluster.gone(MAPS, metadata.name);
    const stays = async ({ metadata }: TestJson): Promise<void> => {
      await cluster.collectorHasSeenAll();
      assert.equal(await cluster.isThere(MAPS, metadata.name), true, `${metadata.name} is gone`);
    };
    const remove = ({ metadata }: TestJson, propagationPolicy?: string): Promise<TestJson> =>
      cluster.delete(MAPS, metadata.name, propagationPolicy === undefined ? {} : { propagationPolicy });

    test('background: the owner goes at once, and what it owned follows, through all generations', async () => {
      const owner = await make('owner');
      const child = await make('child', cluster.ownedBy(owner));
      const grandchild = await make('grandchild', cluster.ownedBy(child));
      await remove(owner, 'Background');
      assert.equal(await cluster.isThere(MAPS, owner.metadata.name), false);
      await Promise.all([gone(child), gone(grandchild)]);
    });

    test('foreground: what blocks the owner goes first, generation by generation', async () => {
      const owner = await make('owner');
      const child = await make('child', cluster.ownedBy(owner, BLOCKING));
      const grandchild = await make('grandchild', cluster.ownedBy(child, BLOCKING));
      const { metadata } = await cluster.ask('GET', cluster.path(MAPS));
      const watch = await cluster.server.watch(`${cluster.path(MAPS)}?watch=1&resourceVersion=${metadata.resourceVersion}`);
      await remove(owner, 'Foreground');
      const departed: string[] = [];
      while (departed.length < 3) {
        const [event] = await watch.next(1);
        if (event.type === 'DELETED') departed.push(event.object.metadata.name);
      }
      await watch.stop();
      assert.deepEqual(departed, [grandchild, child, owner].map((one) => one.metadata.name));
    });

    test('foreground: a dependent with a finalizer holds its owner', async () => {
      const owner = await make('owner');
      const child = await cluster.make(MAPS, { name: `held-${++count}`, finalizers: ['example.com/hold'], ownerReferences: [cluster.ownedBy(owner, BLOCKING)] });
      await remove(owner, 'Foreground');
      await cluster.until(MAPS, child.metadata.name, (one) => one.metadata.deletionTimestamp !== undefined);
      await stays(owner);
      await cluster.merge(MAPS, child.metadata.name, { metadata: { finalizers: null } });
      await Promise.all([gone(child), gone(owner)]);
    });

    test('foreground: who does not block does not hold', async () => {
      const owner = await make('owner');
      const child = await cluster.make(MAPS, { name: `free-${++count}`, finalizers: ['example.com/hold'], ownerReferences: [cluster.ownedBy(owner)] });
      await remove(owner, 'Foreground');
      await gone(owner);
      await cluster.merge(MAPS, child.metadata.name, { metadata: { finalizers: null } });
      await gone(child);
    });

    test('orphan: dependents stay and forget their owner, also those made a moment ago', async () => {
      const owner = await make('owner');
      const children = await Promise.all(Array.from({ length: 40 }, () => make('child', cluster.ownedBy(owner, BLOCKING))));
      await remove(owner, 'Orphan');
      await gone(owner);
      await cluster.collectorHasSeenAll();
      for (const { metadata } of children) assert.equal((await cluster.get(MAPS, metadata.name)).metadata.ownerReferences, undefined);
    });

    test('of two owners one is enough; the other one is forgotten', async () => {
      const [one, two] = [await make('one'), await make('two')];
      const child = await make('child', cluster.ownedBy(one), cluster.ownedBy(two));
      await remove(one);
      const left = await cluster.until(MAPS, child.metadata.name, (live) => live === undefined || live.metadata.ownerReferences.length === 1);
      assert.equal(left.metadata.ownerReferences[0].uid, two.metadata.uid);
      await remove(two);
      await gone(child);
    });

    test('owners that own one another go together, in background and in foreground', async () => {
      for (const policy of ['Background', 'Foreground']) {
        const first = await make('first');
        const second = await make('second', cluster.ownedBy(first, BLOCKING));
        await cluster.merge(MAPS, first.metadata.name, { metadata: { ownerReferences: [cluster.ownedBy(second, BLOCKING)] } });
        await remove(first, policy);
        await Promise.all([gone(first), gone(second)]);
      }
    });

    test('three that own one another in a ring go together', async () => {
      for (const policy of ['Background', 'Foreground']) {
        const first = await make('first');
        const second = await make('second', cluster.ownedBy(first, BLOCKING));
        const third = await make('third', cluster.ownedBy(second, BLOCKING));
        await cluster.merge(MAPS, first.metadata.name, { metadata: { ownerReferences: [cluster.ownedBy(third, BLOCKING)] } });
        await remove(first, policy);
        await Promise.all([gone(first), gone(second), gone(third)]);
      }
    });

    test('an owner that never was: its dependent goes; so it does when the name is there and the uid is not', async () => {
      const real = await make('real');
      const ghost = await make('ghost', { ...cluster.ownedBy(real), name: 'nobody' });
      const stranger = await make('stranger', { ...cluster.ownedBy(real), uid: crypto.randomUUID() });
      await Promise.all([gone(ghost), gone(stranger)]);
      await stays(real);
    });

    test('an owner of a kind that the server does not have proves nothing: the dependent stays', async () => {
      const child = await make('child', { apiVersion: 'example.com/v1', kind: 'Unknown', name: 'a', uid: crypto.randomUUID() });
      await stays(child);
    });

    test('an owner of a kind in a version that the server does not have proves nothing: its dependents stay, also when it goes', async () => {
      const version = `${cluster.brand.group('batch')}/v2alpha1`;
      const child = await make('child', { apiVersion: version, kind: 'Job', name: 'a', uid: crypto.randomUUID() });
      const owner = await cluster.make('batch:default/cronjobs', { name: `cron-${++count}` }, { spec: CRON });
      const other = await make('other', { ...cluster.ownedBy(owner), apiVersion: version });
      const known = await make('known', cluster.ownedBy(owner));
      await cluster.delete('batch:default/cronjobs', owner.metadata.name, { propagationPolicy: 'Background' });
      await gone(known);
      for (const one of [child, other]) await stays(one);
    });

    /** Waits for the warning about an object: its namespace, reason, message, and who gives it. */
    const warningOf = async ({ metadata, kind }: TestJson): Promise<readonly unknown[]> => {
      const watch = await cluster.server.watch(`/api/v1/events?watch=1&fieldSelector=involvedObject.uid=${metadata.uid},involvedObject.kind=${kind},type=Warning`);
      const [{ object }] = await watch.next(1);
      await watch.stop();
      return [object.metadata.namespace, object.reason, object.message, object.source.component];
    };

    test('an owner in another namespace is none: the dependent goes, and an event says why', async () => {
      await cluster.make('namespaces', { name: `elsewhere-${++count}` });
      const owner = await cluster.make(`elsewhere-${count}/configmaps`, { name: 'owner' });
      const child = await make('child', cluster.ownedBy(owner));
      await gone(child);
      const message = `ownerRef [v1/ConfigMap, namespace: default, name: owner, uid: ${owner.metadata.uid}] does not exist in namespace "default"`;
      assert.deepEqual(await warningOf(child), ['default', 'OwnerRefInvalidNamespace', message, 'garbage-collector-controller']);
    });

    test('an owner without a namespace owns in any; the other way round nobody can say, and the object stays', async () => {
      const node = await cluster.make('nodes', { name: `node-${++count}` });
      const child = await make('child', cluster.ownedBy(node));
      const map = await make('map');
      const bold = await cluster.make('nodes', { name: `bold-${++count}`, ownerReferences: [cluster.ownedBy(map)] });
      assert.deepEqual((await warningOf(bold)).slice(0, 2), ['default', 'OwnerRefInvalidNamespace']);
      await remove(map);
      await cluster.delete('nodes', node.metadata.name);
      await gone(child);
      await cluster.collectorHasSeenAll();
      assert.equal(await cluster.isThere('nodes', bold.metadata.name), true);
    });

    test('one uid named from two namespaces means an owner in one of them only', async () => {
      const namespace = `apart-${++count}`;
      await cluster.make('namespaces', { name: namespace });
      const other = `${namespace}/configmaps`;
      const owner = await make('owner');
      const own = await make('own', cluster.ownedBy(owner));
      // Heard of before and after the owner's own dependent: neither way may the judgement of one become that of the other.
      await cluster.make(other, { name: 'stranger', ownerReferences: [cluster.ownedBy(owner)] });
      await cluster.gone(other, 'stranger');
      const late = await make('late', cluster.ownedBy(owner));
      for (const one of [own, late]) await stays(one);
      await remove(owner);
      await Promise.all([gone(own), gone(late)]);
    });

    test('an owner may be named in another version of its kind', async () => {
      const owner = await cluster.make('batch:default/cronjobs', { name: `cron-${++count}` }, { spec: CRON });
      const child = await make('child', { ...cluster.ownedBy(owner), apiVersion: `${cluster.brand.group('batch')}/v1beta1` });
      await stays(child);
      await cluster.delete('batch:default/cronjobs', owner.metadata.name, { propagationPolicy: 'Background' });
      await gone(child);
    });

    test('who owns itself stays, and can be deleted', async () => {
      for (const policy of ['Background', 'Foreground', 'Orphan']) {
        const own = await make('own');
        await cluster.merge(MAPS, own.metadata.name, { metadata: { ownerReferences: [cluster.ownedBy(own, BLOCKING)] } });
        await stays(own);
        await remove(own, policy);
        await gone(own);
      }
    });

    test('an owner that has the finalizer of a deletion and is not deleted keeps it, and its dependents', async () => {
      for (const finalizer of ['foregroundDeletion', 'orphan']) {
        const owner = await make('owner');
        await cluster.merge(MAPS, owner.metadata.name, { metadata: { finalizers: [finalizer] } });
        const child = await make('child', cluster.ownedBy(owner, BLOCKING));
        await stays(child);
        assert.equal((await cluster.get(MAPS, child.metadata.name)).metadata.ownerReferences.length, 1);
        assert.deepEqual((await cluster.get(MAPS, owner.metadata.name)).metadata.finalizers, [finalizer]);
      }
    });

    test('a dependent made while its owner waits for it in foreground goes first, too', async () => {
      const owner = await make('owner');
      const held = await cluster.make(MAPS, { name: `held-${++count}`, finalizers: ['example.com/hold'], ownerReferences: [cluster.ownedBy(owner, BLOCKING)] });
      await remove(owner, 'Foreground');
      const late = await make('late', cluster.ownedBy(owner, BLOCKING));
      await gone(late);
      await stays(owner);
      await cluster.merge(MAPS, held.metadata.name, { metadata: { finalizers: null } });
      await Promise.all([gone(held), gone(owner)]);
    });

    test('what has changed since it was judged is judged again: a new owner saves it', async () => {
      for (let round = 0; round < 20; round++) {
        const [old, next] = [await make('old'), await make('next')];
        const child = await make('child', cluster.ownedBy(old));
        const [, saved] = await Promise.all([
          remove(old),
          cluster.server.patch('merge', cluster.path(MAPS, child.metadata.name as string), { metadata: { ownerReferences: [cluster.ownedBy(next)] } }),
        ]);
        // Whoever was first counts: an object that took its new owner in time is never deleted for the old one.
        if (saved.status === 200) await stays(child);
        else assert.equal(saved.status, 404);
      }
    });

    test('a dependent that was named in time stays: its new owner is there', async () => {
      const [old, next] = [await make('old'), await make('next')];
      const child = await make('child', cluster.ownedBy(old));
      await cluster.merge(MAPS, child.metadata.name, { metadata: { ownerReferences: [cluster.ownedBy(next)] } });
      await remove(old);
      await stays(child);
    });
  });
}

for (const dialect of DIALECTS) {
  test(`nothing is deleted for the sake of an owner that was named by somebody who could not delete it himself (${dialect})`, async () => {
    const cluster = await Cluster.start({ dialect, clock: new TurnedClock(), admission: { enable: ['OwnerReferencesPermissionEnforcement'] }, aggregateRoles: false });
    const apiGroup = cluster.brand.group('rbac');
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'get', 'update', 'patch'] }];
    await cluster.make('rbac:default/roles', { name: 'writer' }, { rules });
    await cluster.make('rbac:default/rolebindings', { name: 'writer' }, { roleRef: { apiGroup, kind: 'Role', name: 'writer' }, subjects: [{ apiGroup, kind: 'User', name: 'alice' }] });
    const asAlice = { authorization: `Bearer ${TEST_TOKENS.alice}` };
    const precious = await cluster.make(MAPS, { name: 'precious' });
    const nobody = { ...cluster.ownedBy(precious), name: 'nobody', uid: crypto.randomUUID() };
    const name = (owner: object): Promise<number> =>
      cluster.server.patch('merge', cluster.path(MAPS, 'precious'), { metadata: { ownerReferences: [owner] } }, asAlice).then(({ status }) => status);
    const make = (more: object): Promise<number> =>
      cluster.server.request('POST', cluster.path(MAPS), { metadata: { name: 'hers', ownerReferences: [{ ...cluster.ownedBy(precious), ...more }] } }, asAlice).then(({ status }) => status);

    assert.equal(await name(nobody), 403, 'it would go at once');
    assert.equal(await make(BLOCKING), 403, 'the owner would wait for it');
    await cluster.collectorHasSeenAll();
    assert.equal((await cluster.get(MAPS, 'precious')).metadata.ownerReferences, undefined);

    assert.equal(await make({}), 201, 'her own object may go with another');
    const more = [{ ...rules[0], verbs: ['create', 'get', 'update', 'patch', 'delete'] }];
    await cluster.merge('rbac:default/roles', 'writer', { rules: more });
    assert.equal(await name(nobody), 200, 'who may delete it may as well let it be collected');
    await Promise.all(['precious', 'hers'].map((one) => cluster.gone(MAPS, one)));
    await cluster.server.close();
  });
}
