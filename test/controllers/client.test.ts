import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createClient, exchangeLocal, isRefusal, type Client } from '#client';
import { ApiError } from '#errors';
import { ConfigMap, Namespace } from '#kinds';
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
