// Kinds that another server serves are looked after as those here are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer, type TestJson } from '#testing';
import { AggregatedServer } from '../support/aggregated-server.ts';
import { newAuthority } from '../support/certificates.ts';
import { established } from '../support/definitions.ts';
import { Cluster, DIALECTS } from './cluster.ts';

const GROUP = 'gears.example.com';

/** Has another server serve the group. */
async function aggregate(cluster: Cluster, { port, caBundle }: { readonly port: number; readonly caBundle: string }): Promise<void> {
  await cluster.make('default/services', { name: 'gears' }, { spec: { type: 'ExternalName', externalName: 'localhost' } });
  const service = { namespace: 'default', name: 'gears', port };
  const spec = { group: GROUP, version: 'v1', groupPriorityMinimum: 100, versionPriority: 10, service, caBundle };
  await cluster.make('apiregistration:apiservices', { name: `v1.${GROUP}` }, { spec });
  await cluster.until('apiregistration:apiservices', `v1.${GROUP}`, ({ status }) => status?.conditions?.[0]?.status === 'True');
}

for (const dialect of DIALECTS) {
  test(`${dialect}: what becomes of objects of an aggregated server is noticed as it happens`, async () => {
    const authority = await newAuthority();
    const requestHeader = { clientCa: authority.cert, usernameHeaders: ['X-Remote-User'], groupHeaders: ['X-Remote-Group'], extraHeadersPrefixes: ['X-Remote-Extra-'] };
    const tls = await authority.issue('gears', ['gears.default.svc']);
    await using other = await startTestServer({ dialect, controllers: 'none', listen: { tls }, authentication: { requestHeader }, over: 'process' });
    const cluster = await Cluster.start({ dialect, over: 'http1', listen: {}, aggregation: { proxyCertificate: await authority.issue('front-proxy', []) } });
    await using server = cluster.server;

    const definitions = `/apis/${cluster.brand.group('apiextensions')}/v1/customresourcedefinitions`;
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
    const spec = { group: GROUP, scope: 'Namespaced', names: { plural: 'gears', kind: 'Gear' }, versions };
    assert.equal((await other.request('POST', definitions, { metadata: { name: `gears.${GROUP}` }, spec })).status, 201);
    await established(other, `${definitions}/gears.${GROUP}`);

    await aggregate(cluster, { port: Number(new URL(other.server.url ?? '').port), caBundle: Buffer.from(authority.cert).toString('base64') });

    const gears = `/apis/${GROUP}/v1/namespaces/default/gears`;
    // The first is there before the collector knows of the kind, and tells that it has listed it.
    for (const name of ['first', 'second']) {
      const gear = await cluster.ask('POST', gears, { apiVersion: `${GROUP}/v1`, kind: 'Gear', metadata: { name } });
      await cluster.make('default/configmaps', { name, ownerReferences: [cluster.ownedBy(gear, { blockOwnerDeletion: true })] });
      const watch = await server.watch(`${gears}?watch=1&resourceVersion=${gear.metadata.resourceVersion}`);
      await cluster.ask('DELETE', `${gears}/${name}`, { propagationPolicy: 'Foreground' });
      if (name === 'first') server.clock.advance('30s');
      for (let type = ''; type !== 'DELETED'; ) [{ type }] = (await watch.next(1)) as [{ type: string }];
      await watch.stop();
      assert.equal(await cluster.isThere('default/configmaps', name), false);
    }
  });
  test(`${dialect}: an aggregated server that answers nothing does not keep a namespace for ever, and is told of in it`, async () => {
    const other = await AggregatedServer.start(['gears.default.svc']);
    other.resources = [{ name: 'gears', singularName: 'gear', namespaced: true, kind: 'Gear', verbs: ['list', 'delete'] }];
    other.answers = () => undefined;
    const cluster = await Cluster.start({ dialect, controllers: 'namespace', serving: { requestTimeoutMs: 2_000 } });
    await aggregate(cluster, other);
    await cluster.make('namespaces', { name: 'ending' });
    await cluster.delete('namespaces', 'ending');
    const { status } = await cluster.until('namespaces', 'ending', (namespace) => namespace.status.conditions !== undefined);
    const failure = status.conditions.find(({ type }: TestJson) => type === 'NamespaceDeletionContentFailure');
    assert.deepEqual([failure.status, failure.reason], ['True', 'ContentDeletionFailed']);
    assert.match(failure.message, /request did not complete within the allotted timeout/);

    other.answers = () => ({ kind: 'GearList', metadata: { resourceVersion: '1' }, items: [] });
    await cluster.gone('namespaces', 'ending');
    await cluster.server.close();
    await other.close();
  });
}
