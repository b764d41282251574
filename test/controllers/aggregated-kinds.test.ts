// Kinds that another server serves are looked after as those here are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer } from '#testing';
import { newAuthority } from '../support/certificates.ts';
import { established } from '../support/definitions.ts';
import { Cluster, DIALECTS } from './cluster.ts';

const GROUP = 'gears.example.com';

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

    const service = { namespace: 'default', name: 'gears', port: Number(new URL(other.server.url ?? '').port) };
    await cluster.make('default/services', { name: 'gears' }, { spec: { type: 'ExternalName', externalName: 'localhost' } });
    const declared = { group: GROUP, version: 'v1', groupPriorityMinimum: 100, versionPriority: 10, service, caBundle: Buffer.from(authority.cert).toString('base64') };
    await cluster.make('apiregistration:apiservices', { name: `v1.${GROUP}` }, { spec: declared });
    await cluster.until('apiregistration:apiservices', `v1.${GROUP}`, ({ status }) => status?.conditions?.[0]?.status === 'True');

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
}
