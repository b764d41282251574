// Addresses and ports that the server hands out, over the ends of servers: what one gave another knows. And what goes when a service goes.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { brandOf, DIALECTS } from '#api';
import { startTestServer, type TestAnswer, type TestJson, type TestServer } from '#testing';

const SERVICES = '/api/v1/namespaces/default/services';
/** Room for the service of the API and thirteen others, twelve of them with a port. */
const ROOM = { clusterIps: ['10.9.0.0/28'], nodePorts: [31_000, 31_011] } as const;

/** Asked about every new service, it never answers. */
const unreachable = {
  metadata: { name: 'away' },
  webhooks: [
    {
      name: 'away.example.com',
      clientConfig: { url: 'https://127.0.0.1:1/' },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['services'], operations: ['CREATE'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
};

for (const dialect of DIALECTS) {
  test(`servers after one another never give an address or a port twice, and give again what came free (${dialect})`, async () => {
    const webhooks = `/apis/${brandOf(dialect).group('admissionregistration')}/v1/validatingwebhookconfigurations`;
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orch-addresses-'));
    const withServer = async (work: (server: TestServer) => Promise<void>): Promise<void> => {
      const server = await startTestServer({ dialect, controllers: 'none', store: `lmdb://${folder}/data`, services: ROOM });
      try {
        await work(server);
      } finally {
        await server.close();
      }
    };
    const make = (server: TestServer, name: string) => server.request('POST', SERVICES, { metadata: { name }, spec: { type: 'NodePort', ports: [{ port: 80 }] } });
    const makeAll = async (server: TestServer, names: readonly string[]): Promise<void> => {
      const answers = await Promise.all(names.map((name) => make(server, name)));
      assert.deepEqual(answers.map(({ status }) => status), names.map(() => 201));
    };
    const retype = async (server: TestServer, type: string, query = '', more: object = {}): Promise<void> => {
      const { status, text } = await server.patch('merge', `${SERVICES}/a0${query}`, { ...more, spec: { type } });
      assert.equal(status, 200, text);
    };
    const held = async (server: TestServer): Promise<readonly string[]> => {
      const { items } = (await server.request('GET', SERVICES)).body as { items: readonly TestJson[] };
      const values = items.flatMap(({ spec }) => [spec.clusterIP, spec.ports[0].nodePort ?? 0]).filter((value) => value !== 0);
      assert.equal(new Set(values).size, values.length, values.join(' '));
      return values.map(String).sort();
    };
    const names = (prefix: string): readonly string[] => Array.from({ length: 6 }, (_, number) => `${prefix}${number}`);
    try {
      await withServer(async (server) => {
        // What is refused holds nothing, however often it comes.
        const refused = async (metadata: object, status: number): Promise<void> => {
          for (let round = 0; round < 30; round++) assert.equal((await server.request('POST', SERVICES, { metadata: { name: 'no', ...metadata }, spec: { type: 'NodePort', ports: [{ port: 80 }] } })).status, status);
        };
        await refused({ labels: { a: '?' } }, 422);
        await refused({ resourceVersion: '5' }, 500);
        assert.equal((await server.request('POST', webhooks, unreachable)).status, 201);
        await refused({}, 500);
        assert.equal((await server.request('DELETE', `${webhooks}/away`)).status, 200);
        await makeAll(server, names('a'));
        // Of two at once one is asked again, and holds nothing of its first attempt.
        for (let round = 0; round < 5; round++) {
          await retype(server, 'ClusterIP');
          await Promise.all(['x', 'y'].map((text) => retype(server, 'NodePort', '', { metadata: { annotations: { text } } })));
        }
        assert.equal((await held(server)).length, 13);
      });
      await withServer(async (server) => {
        await makeAll(server, names('b'));
        assert.equal((await held(server)).length, 25);
        assert.notEqual((await make(server, 'late')).status, 201, 'every port is taken');
        const before = await held(server);
        assert.equal((await server.patch('merge', `${SERVICES}/a0`, { metadata: { labels: { a: 'b' } } })).status, 200);
        assert.deepEqual(await held(server), before);
        assert.notEqual((await make(server, 'late')).status, 201, 'a service that is changed keeps what it has');
        await retype(server, 'ClusterIP', '?dryRun=All');
        assert.notEqual((await make(server, 'late')).status, 201, 'a dry-run frees nothing');
        await retype(server, 'ClusterIP');
        assert.equal((await held(server)).length, 24);
        await makeAll(server, ['next']);
        assert.notEqual((await make(server, 'late')).status, 201, 'the port of the changed one is taken again');
        assert.equal((await server.request('DELETE', `${SERVICES}/a3`)).status, 200);
      });
      await withServer(async (server) => {
        await makeAll(server, ['late']);
        assert.equal((await held(server)).length, 26);
      });
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
}

test('ports that share a name ask for the node port that the name had: one protocol cannot have it twice', async () => {
  await using server = await startTestServer({ controllers: 'none' });
  const spec = (...ports: readonly object[]): object => ({ metadata: { name: 'a' }, spec: { type: 'NodePort', ports } });
  await server.request('POST', SERVICES, spec({ port: 80, nodePort: 30_100 }));
  const twice = await server.request('PUT', `${SERVICES}/a`, spec({ port: 80 }, { port: 81 }));
  assert.deepEqual([twice.status, twice.body.message], [500, 'duplicate nodePort: {TCP 30100}']);
  const { status, body } = await server.request('PUT', `${SERVICES}/a`, spec({ port: 80 }, { port: 81, protocol: 'UDP' }));
  assert.deepEqual([status, body.details.causes.map(({ field }: TestJson) => field)], [422, ['spec.ports[0].name', 'spec.ports[1].name']]);
  const named = await server.request('PUT', `${SERVICES}/a`, spec({ name: 'x', port: 80, nodePort: 30_100 }, { name: 'y', port: 81 }));
  assert.equal(named.status, 200, named.text);
});

test('a service that goes with its last finalizer gives back what it had, and what the same write gave it', async () => {
  await using server = await startTestServer({ controllers: 'none', services: { ...ROOM, nodePorts: [31_000, 31_001] } });
  const spec = { type: 'NodePort', ports: [{ port: 80, nodePort: 31_000 }] };
  const { status, text } = await server.request('POST', SERVICES, { metadata: { name: 'a', finalizers: ['example.com/a'] }, spec });
  assert.equal(status, 201, text);
  await server.request('DELETE', `${SERVICES}/a`);
  const ports = [{ name: 'x', port: 80, nodePort: 31_000 }, { name: 'y', port: 81 }];
  assert.equal((await server.patch('merge', `${SERVICES}/a`, { metadata: { finalizers: null }, spec: { ports } })).status, 200);
  for (const nodePort of [31_000, 31_001]) {
    const made = await server.request('POST', SERVICES, { metadata: { name: `b${nodePort}` }, spec: { type: 'NodePort', ports: [{ port: 80, nodePort }] } });
    assert.equal(made.status, 201, made.text);
  }
});

const ENDPOINTS = '/api/v1/namespaces/default/endpoints';

/** How a service goes, from the request that removes it to the one that may come before. */
const WAYS: Readonly<Record<string, (server: TestServer, path: string) => Promise<unknown>>> = {
  'a delete': (server, path) => server.request('DELETE', path),
  'a delete of all': (server) => server.request('DELETE', `${SERVICES}?labelSelector=goes`),
  'the end of its last finalizer': async (server, path) => {
    await server.patch('merge', path, { metadata: { finalizers: ['example.com/a'] } });
    await server.request('DELETE', path);
    await server.patch('merge', `${path}?dryRun=All`, { metadata: { finalizers: [] } });
    assert.equal((await server.request('GET', `${ENDPOINTS}/gone`)).status, 200, 'a dry-run takes nothing along');
    return server.patch('merge', path, { metadata: { finalizers: [] } });
  },
};

for (const [way, go] of Object.entries(WAYS)) {
  test(`R4.3-26 the endpoints of a service go with it, and no others: ${way}`, async () => {
    const server = await startTestServer({ controllers: 'none' });
    try {
      for (const name of ['gone', 'kept']) {
        await server.request('POST', SERVICES, { metadata: { name, labels: name === 'gone' ? { goes: '' } : {} }, spec: { ports: [{ port: 80 }] } });
        await server.request('POST', ENDPOINTS, { metadata: { name }, subsets: [] });
      }
      await server.request('DELETE', `${SERVICES}/gone?dryRun=All`);
      assert.equal((await server.request('GET', `${ENDPOINTS}/gone`)).status, 200, 'a dry-run takes nothing along');
      await go(server, `${SERVICES}/gone`);
      assert.equal((await server.request('GET', `${SERVICES}/gone`)).status, 404);
      assert.equal((await server.request('GET', `${ENDPOINTS}/gone`)).status, 404);
      assert.equal((await server.request('GET', `${ENDPOINTS}/kept`)).status, 200);
    } finally {
      await server.close();
    }
  });
}

test('what cannot be had for a service is told before the service has the name that is made for it', async () => {
  const server = await startTestServer({ controllers: 'none', services: ROOM });
  try {
    const make = (spec: object): Promise<TestAnswer> => server.request('POST', SERVICES, { metadata: { generateName: 'g-' }, spec: { ports: [{ port: 80 }], ...spec } });
    const made = await make({ clusterIP: '10.9.0.5' });
    assert.match((made.body as TestJson).metadata.name, /^g-.{5}$/);
    for (const spec of [{ clusterIP: '10.9.0.5' }, { clusterIP: 'x' }, { type: 'NodePort', ports: [{ port: 80, nodePort: 1 }] }]) {
      const { status, body } = await make(spec);
      assert.deepEqual([status, (body as TestJson).details.name], [422, undefined]);
    }
    const { status, body } = await make({ ports: [{ port: 0 }] });
    assert.equal(status, 422);
    assert.match((body as TestJson).details.name, /^g-.{5}$/);
  } finally {
    await server.close();
  }
});
