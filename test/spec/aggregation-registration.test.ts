// What this server says about the groups it serves itself, to discovery and to other servers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { certificateBlocks } from '#base';
import type { TlsMaterial } from '#server';
import { startTestServer, TurnedClock, type TestJson } from '#testing';
import { newAuthority } from '../support/certificates.ts';
import { everywhere, expect, PLACES, type World } from './world.ts';

const servicesOf = (world: World): string => `/apis/${world.brand.group('apiregistration')}/v1/apiservices`;
const label = (world: World, object: TestJson): unknown => object.metadata.labels?.[world.brand.names.automanagedLabel];

interface Registered {
  readonly metadata: { readonly name: string; readonly labels: object };
  readonly spec: { readonly groupPriorityMinimum: number; readonly versionPriority: number };
}
/** As recorded, in the spelling of Kubernetes. */
const recorded = JSON.parse(readFileSync(path.resolve('test/golden/api-services.json'), 'utf8')) as readonly (readonly [name: string, group: number, version: number])[];

/** Watches one object until it is as wanted; undefined: until it is gone. */
async function until(world: World, name: string, isWanted: (object: TestJson | undefined) => boolean): Promise<TestJson> {
  const watch = await world.watch(`${servicesOf(world)}?watch=1&fieldSelector=metadata.name%3D${name}`);
  for (;;) {
    const [{ type, object }] = await watch.next(1);
    if (!isWanted(type === 'DELETED' ? undefined : object)) continue;
    await watch.stop();
    return object;
  }
}

everywhere(PLACES.withLmdb, (world) => {
  test('every group and version that is served is registered, with the place it has among the others', async () => {
    const { items } = expect(200, await world.get(servicesOf(world))) as { items: readonly Registered[] };
    const domain = `.${world.brand.names.shortDomain}`;
    const neutral = (name: string): string => (name.endsWith(domain) ? `${name.slice(0, -domain.length)}.k8s.io` : name);
    const rows = items.map(({ metadata, spec }) => [neutral(metadata.name), [spec.groupPriorityMinimum, spec.versionPriority]]);
    assert.deepEqual(Object.fromEntries(rows), Object.fromEntries(recorded.map(([name, ...places]) => [name, places])));
    for (const item of items) {
      assert.equal(label(world, item), 'onstart');
      const { status } = item as TestJson;
      assert.deepEqual([status.conditions[0].status, status.conditions[0].reason], ['True', 'Local']);
    }
  });

  test('what a definition declares is registered as long as it stands, whatever others do to it', async () => {
    const group = `${world.fresh('g')}.example.com`;
    const version = (name: string, more: object = {}): object => ({ name, served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } }, ...more });
    const definitions = `/apis/${world.brand.group('apiextensions')}/v1/customresourcedefinitions`;
    const spec = { group, scope: 'Cluster', names: { plural: 'foos', kind: 'Foo' }, versions: [version('v1', { storage: true }), version('v2'), version('v3', { served: false })] };
    expect(201, await world.post(definitions, { apiVersion: `${world.brand.group('apiextensions')}/v1`, kind: 'CustomResourceDefinition', metadata: { name: `foos.${group}` }, spec }));
    for (const name of [`v1.${group}`, `v2.${group}`]) {
      const made = await until(world, name, (object) => object !== undefined);
      assert.deepEqual([label(world, made), made.spec.groupPriorityMinimum, made.spec.versionPriority], ['true', 1000, 100]);
    }
    assert.equal((await world.get(`${servicesOf(world)}/v3.${group}`)).status, 404);
    const { uid } = expect(200, await world.get(`${servicesOf(world)}/v1.${group}`)).metadata;
    expect(200, await world.delete(`${servicesOf(world)}/v1.${group}`));
    await until(world, `v1.${group}`, (object) => object !== undefined && object.metadata.uid !== uid);
    expect(200, await world.patch('merge', `${servicesOf(world)}/v2.${group}`, { spec: { versionPriority: 3 } }));
    await until(world, `v2.${group}`, (object) => object?.spec.versionPriority === 100);
    expect(200, await world.delete(`${definitions}/foos.${group}`));
    const gone = await world.watch(`${servicesOf(world)}?watch=1&resourceVersion=${(await world.get(servicesOf(world))).body.metadata.resourceVersion}`);
    const left = new Set(((await world.get(servicesOf(world))).body.items as readonly Registered[]).map(({ metadata }) => metadata.name).filter((name) => name.endsWith(group)));
    while (left.size > 0) {
      const [{ type, object }] = await gone.next(1);
      if (type === 'DELETED') left.delete(object.metadata.name);
    }
    await gone.stop();
  });

  test('a start puts right what is registered, and leaves alone what somebody took over', { skip: !world.keepsItsData && 'nothing is left of a store in memory' }, async () => {
    const services = servicesOf(world);
    expect(200, await world.patch('merge', `${services}/v1.apps`, { spec: { versionPriority: 3 } }));
    expect(200, await world.patch('merge', `${services}/v1.batch`, { spec: { versionPriority: 4 }, metadata: { labels: { [world.brand.names.automanagedLabel]: null } } }));
    expect(200, await world.delete(`${services}/v1.policy`));
    const left = { apiVersion: `${world.brand.group('apiregistration')}/v1`, kind: 'APIService', metadata: { name: 'v7.apps', labels: { [world.brand.names.automanagedLabel]: 'onstart' } } };
    expect(201, await world.post(services, { ...left, spec: { group: 'apps', version: 'v7', groupPriorityMinimum: 1, versionPriority: 1 } }));
    const before = expect(200, await world.get(`${services}/v1.autoscaling`)).metadata.resourceVersion;
    await world.restart();
    assert.equal((await world.get(`${services}/v1.apps`)).body.spec.versionPriority, 15);
    assert.equal((await world.get(`${services}/v1.batch`)).body.spec.versionPriority, 4);
    assert.equal((await world.get(`${services}/v1.policy`)).status, 200);
    assert.equal((await world.get(`${services}/v7.apps`)).status, 404);
    assert.equal((await world.get(`${services}/v1.autoscaling`)).body.metadata.resourceVersion, before);
  });
});

test('other servers are told whose certificates count and how proxied users are named', async () => {
  const file = (name: string): string => readFileSync(path.resolve('test/fixtures/tls', name), 'utf8');
  const tls = { cert: file('server.crt'), key: file('server.key'), clientCa: file('ca.crt') };
  const requestHeader = { clientCa: file('ca.crt'), allowedNames: ['front-proxy'], usernameHeaders: ['X-Remote-User'], groupHeaders: ['X-Remote-Group'], extraHeadersPrefixes: ['X-Remote-Extra-'] };
  const server = await startTestServer({ over: 'http1', listen: { tls }, authentication: { requestHeader } });
  try {
    const { data } = expect(200, await server.request('GET', '/api/v1/namespaces/orch-system/configmaps/extension-apiserver-authentication'));
    assert.deepEqual(data, {
      'client-ca-file': tls.clientCa,
      'requestheader-allowed-names': '["front-proxy"]',
      'requestheader-client-ca-file': requestHeader.clientCa,
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-username-headers': '["X-Remote-User"]',
    });
  } finally {
    await server.close();
  }
});

test('other servers are told of authorities that are exchanged, and again where somebody took away what was said', async () => {
  const file = (name: string): string => readFileSync(path.resolve('test/fixtures/tls', name), 'utf8');
  const clock = new TurnedClock();
  const begun = { cert: file('server.crt'), key: file('server.key'), clientCa: file('ca.crt') };
  let files: TlsMaterial = { ...begun, proxyCa: file('ca.crt') };
  const requestHeader = { clientCa: file('ca.crt'), usernameHeaders: ['X-Remote-User'] };
  await using server = await startTestServer({ clock, over: 'http1', listen: { tls: { ...begun, read: async () => files } }, authentication: { requestHeader }, controllers: 'none' });
  const maps = '/api/v1/namespaces/orch-system/configmaps';
  const watch = await server.watch(`${maps}?watch=1&fieldSelector=metadata.name%3Dextension-apiserver-authentication`);
  await watch.next(1);
  const [clients, proxies] = [(await newAuthority()).cert, (await newAuthority()).cert];
  files = { ...files, clientCa: clients, proxyCa: proxies };
  clock.turn(10_000);
  const [told] = await watch.next(1);
  const blocks = (name: string): readonly string[] => certificateBlocks(told.object.data[name]);
  assert.ok(blocks('client-ca-file').includes(certificateBlocks(clients)[0] as string));
  assert.ok(blocks('requestheader-client-ca-file').includes(certificateBlocks(proxies)[0] as string));
  expect(200, await server.request('DELETE', `${maps}/extension-apiserver-authentication`));
  await watch.next(1);
  clock.turn(60_000);
  const [again] = await watch.next(1);
  assert.equal(again.object.data['client-ca-file'], clients);
  await watch.stop();
});

test('a proxy certificate that does not fit its key fails the start', async () => {
  await assert.rejects(startTestServer({ aggregation: { proxyCertificate: { cert: 'x', key: 'y' } } }), /certificate to be shown to aggregated APIs/);
});
