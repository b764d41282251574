// Fields behind feature gates: there by default, dropped from new objects where the feature is off.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { brandOf, DIALECTS, type Dialect } from '#api';
import { startTestServer, type TestJson, type TestServer } from '#testing';
import { established } from '../support/definitions.ts';
import { expect } from './world.ts';

interface Gate {
  readonly feature: string;
  collection(group: (neutral: string) => string): string;
  readonly body: object;
  /** Where without the field another one must say something else. */
  readonly bodyWhenOff?: object;
  /** What stands in the gated field. */
  read(object: TestJson): unknown;
  readonly value: unknown;
  /** A change of another field. */
  readonly change: object;
}

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const daemonSet = (rollingUpdate: object): object => ({ spec: { selector: { matchLabels: { app: 'a' } }, template, updateStrategy: { type: 'RollingUpdate', rollingUpdate } } });
const GATES: readonly Gate[] = [
  {
    feature: 'NetworkPolicyEndPort',
    collection: (group) => `/apis/${group('networking')}/v1/namespaces/default/networkpolicies`,
    body: { spec: { podSelector: {}, egress: [{ ports: [{ port: 100, endPort: 200 }] }], ingress: [{ ports: [{ port: 100, endPort: 200 }] }] } },
    read: ({ spec }) => [spec.egress[0].ports[0].endPort, spec.ingress[0].ports[0].endPort].find((port) => port !== undefined),
    value: 200,
    change: { metadata: { labels: { a: 'b' } } },
  },
  {
    feature: 'DaemonSetUpdateSurge',
    collection: () => '/apis/apps/v1/namespaces/default/daemonsets',
    body: daemonSet({ maxUnavailable: 0, maxSurge: 1 }),
    bodyWhenOff: daemonSet({ maxUnavailable: 1, maxSurge: 1 }),
    read: ({ spec }) => spec.updateStrategy.rollingUpdate.maxSurge,
    value: 1,
    change: { spec: { minReadySeconds: 5 } },
  },
  {
    feature: 'NonPreemptingPriority',
    collection: (group) => `/apis/${group('scheduling')}/v1/priorityclasses`,
    body: { value: 5, preemptionPolicy: 'Never' },
    read: ({ preemptionPolicy }) => preemptionPolicy,
    value: 'Never',
    change: { description: 'changed' },
  },
  {
    feature: 'NonPreemptingPriority',
    collection: () => '/apis/apps/v1/namespaces/default/deployments',
    body: { spec: { selector: { matchLabels: { app: 'a' } }, template: { ...template, spec: { ...template.spec, preemptionPolicy: 'Never' } } } },
    read: ({ spec }) => spec.template.spec.preemptionPolicy,
    value: 'Never',
    change: { spec: { replicas: 2 } },
  },
  {
    feature: 'PodOverhead',
    collection: (group) => `/apis/${group('node')}/v1/runtimeclasses`,
    body: { handler: 'h', overhead: { podFixed: { cpu: '1' } } },
    read: ({ overhead }) => overhead?.podFixed.cpu,
    value: '1',
    change: { metadata: { labels: { a: 'b' } } },
  },
  {
    feature: 'SuspendJob',
    collection: () => '/apis/batch/v1/namespaces/default/jobs',
    body: { spec: { suspend: true, template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } } },
    read: ({ spec }) => spec.suspend,
    value: true,
    change: { spec: { parallelism: 2 } },
  },
  {
    feature: 'CSIStorageCapacity',
    collection: (group) => `/apis/${group('storage')}/v1/csidrivers`,
    body: { spec: { storageCapacity: true } },
    read: ({ spec }) => spec.storageCapacity,
    value: true,
    change: { metadata: { labels: { a: 'b' } } },
  },
];

const start = (dialect: Dialect, store: string, features: ReadonlyMap<string, boolean>): Promise<TestServer> => startTestServer({ dialect, controllers: 'none', features, store });
const folder = mkdtempSync(path.join(tmpdir(), 'orch-gates-'));
after(() => rmSync(folder, { recursive: true }));

for (const dialect of DIALECTS) {
  for (const { feature, collection, body, bodyWhenOff = body, read, value, change } of GATES) {
    const at = collection(brandOf(dialect).group);

    test(`RX-28 the field of ${feature} in ${path.basename(at)} is there by default; with the feature off new objects lose it, and those that have it keep it (${dialect})`, async () => {
      const store = `lmdb://${path.join(folder, `${dialect}-${feature}-${path.basename(at)}`)}`;
      const on = await start(dialect, store, new Map());
      assert.equal(read(expect(201, await on.request('POST', at, { ...body, metadata: { name: 'before' } }))), value);
      await on.close();
      const off = await start(dialect, store, new Map([[feature, false]]));
      assert.equal(read(expect(200, await off.patch('merge', `${at}/before`, change))), value);
      assert.equal(read(expect(201, await off.request('POST', at, { ...bodyWhenOff, metadata: { name: 'after' } }))), undefined);
      assert.equal(read(expect(200, await off.patch('merge', `${at}/after`, change))), undefined);
      assert.equal(read(expect(200, await off.request('GET', `${at}/after`))), undefined);
      await off.close();
    });
  }
  test(`with its feature off, what a new pod says of preemption is dropped, and its class says nothing of it (${dialect})`, async () => {
    const server = await startTestServer({ dialect, controllers: 'none', features: new Map([['NonPreemptingPriority', false]]) });
    expect(201, await server.request('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } }));
    const pod = { metadata: { name: 'p' }, spec: { ...template.spec, preemptionPolicy: 'Never' } };
    const { spec } = expect(201, await server.request('POST', '/api/v1/namespaces/default/pods', pod));
    assert.deepEqual([spec.priority, spec.preemptionPolicy], [0, undefined]);
    await server.close();
  });

  test(`with their feature off, containers to debug with cannot be added to pods, and those that are there stay (${dialect})`, async () => {
    const store = `lmdb://${path.join(folder, `${dialect}-debug`)}`;
    const PODS = '/api/v1/namespaces/default/pods';
    const debug = { spec: { ephemeralContainers: [{ name: 'd', image: 'i' }] } };
    const make = async (server: TestServer, name: string): Promise<TestJson> => expect(201, await server.request('POST', PODS, { metadata: { name }, spec: template.spec }));
    const on = await start(dialect, store, new Map());
    expect(201, await on.request('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } }));
    await make(on, 'before');
    expect(200, await on.patch('strategic', `${PODS}/before/ephemeralcontainers`, debug));
    await on.close();
    const off = await start(dialect, store, new Map([['EphemeralContainers', false]]));
    await make(off, 'after');
    for (const name of ['before', 'after']) expect(404, await off.request('GET', `${PODS}/${name}/ephemeralcontainers`));
    expect(404, await off.patch('strategic', `${PODS}/after/ephemeralcontainers`, debug));
    const { resources } = expect(200, await off.request('GET', '/api/v1'));
    assert.equal(resources.some(({ name }: { readonly name: string }) => name === 'pods/ephemeralcontainers'), false);
    assert.equal(expect(200, await off.patch('merge', `${PODS}/before`, { metadata: { labels: { a: 'b' } } })).spec.ephemeralContainers[0].name, 'd');
    const templates = { metadata: { name: 't' }, template: { ...template, spec: { ...template.spec, ...debug.spec } } };
    assert.equal(expect(201, await off.request('POST', '/api/v1/namespaces/default/podtemplates', templates)).template.spec.ephemeralContainers, undefined);
    await off.close();
  });

  test(`with its feature off, PodSecurity neither reads the labels of namespaces nor refuses pods (${dialect})`, async () => {
    const server = await startTestServer({ dialect, controllers: 'none', features: new Map([['PodSecurity', false]]) });
    const labels = (level: string): object => ({ [`pod-security.${brandOf(dialect).names.domain}/enforce`]: level });
    expect(201, await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'odd', labels: labels('odd') } }));
    expect(201, await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'strict', labels: labels('restricted') } }));
    expect(201, await server.request('POST', '/api/v1/namespaces/strict/serviceaccounts', { metadata: { name: 'default' } }));
    expect(201, await server.request('POST', '/api/v1/namespaces/strict/pods', { metadata: { name: 'p' }, spec: { ...template.spec, hostPID: true } }));
    await server.close();
  });

  test(`the third form of OpenAPI is served where its gate is on, and nowhere else (${dialect})`, async () => {
    for (const [features, status] of [[new Map(), 404], [new Map([['OpenAPIV3', true]]), 200]] as const) {
      const server = await startTestServer({ dialect, controllers: 'none', features });
      expect(status, await server.request('GET', '/openapi/v3'));
      assert.equal(expect(200, await server.request('GET', '/')).paths.includes('/openapi/v3'), status === 200);
      await server.close();
    }
  });

  test(`the third form of OpenAPI says of custom resources what the second cannot express (${dialect})`, async () => {
    const server = await startTestServer({ dialect, controllers: 'none', features: new Map([['OpenAPIV3', true]]) });
    const spec = { type: 'object', nullable: true, properties: { free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } } }, anyOf: [{ required: ['free'] }] };
    const names = { plural: 'foos', kind: 'Foo' };
    const untyped = { 'x-kubernetes-preserve-unknown-fields': true, properties: { spec } };
    const versions = [{ type: 'object', ...untyped }, untyped].map((schema, at) => ({ name: `v${at + 1}`, served: true, storage: at === 0, schema: { openAPIV3Schema: schema } }));
    const definitions = `/apis/${brandOf(dialect).group('apiextensions')}/v1/customresourcedefinitions`;
    expect(201, await server.request('POST', definitions, { metadata: { name: 'foos.example.com' }, spec: { group: 'example.com', scope: 'Cluster', names, versions } }));
    await established(server, `${definitions}/foos.example.com`);
    for (const [version, type] of [['v1', 'object'], ['v2', undefined]] as const) {
      const { components } = expect(200, await server.request('GET', `/openapi/v3/apis/example.com/${version}`));
      const told = components.schemas[`com.example.${version}.Foo`];
      assert.deepEqual([told.type, Object.keys(told.properties).sort(), told.properties.spec], [type, ['apiVersion', 'kind', 'metadata', 'spec'], spec]);
    }
    assert.equal('properties' in expect(200, await server.request('GET', '/openapi/v2')).definitions['com.example.v1.Foo'], false);
    await server.close();
  });
}
