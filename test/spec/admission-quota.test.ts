import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { startTestServer, type TestAnswer, type TestServer } from '#testing';
import { established } from '../support/definitions.ts';

const CLIENTS = 200;

/** A namespace `n` with an account, so that pods can be made, and a quota whose usage is known. */
async function withQuota(server: TestServer, hard: Readonly<Record<string, string>>): Promise<void> {
  const v1 = '/api/v1/namespaces';
  const all = [
    await server.request('POST', v1, { metadata: { name: 'n' } }),
    await server.request('POST', `${v1}/n/serviceaccounts`, { metadata: { name: 'default' } }),
    await server.request('POST', `${v1}/n/resourcequotas`, { metadata: { name: 'q' }, spec: { hard } }),
    await server.patch('merge', `${v1}/n/resourcequotas/q/status`, { status: { hard, used: Object.fromEntries(Object.keys(hard).map((name) => [name, '0'])) } }),
  ];
  assert.deepEqual(all.map(({ status }) => status), [201, 201, 201, 200]);
}

function createPod(server: TestServer, index: number): Promise<TestAnswer> {
  const resources = { requests: { cpu: '100m' } };
  return server.request('POST', '/api/v1/namespaces/n/pods', { metadata: { name: `p${index}` }, spec: { containers: [{ name: 'c', image: 'i', resources }] } });
}

/** Each of the clients creates one pod after the other, until so many were asked for. */
async function createPods(server: TestServer, count: number): Promise<readonly TestAnswer[]> {
  const answers: TestAnswer[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < count) answers.push(await createPod(server, next++));
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return answers;
}

const countOf = (answers: readonly TestAnswer[], code: number): number => answers.filter(({ status }) => status === code).length;

async function used(server: TestServer): Promise<unknown> {
  return (await server.request('GET', '/api/v1/namespaces/n/resourcequotas/q')).body.status.used;
}

test('R4.11-19 200 clients that create pods against a quota of 1,000: exactly 1,000 succeed', async () => {
  // On disk a charge and the pod it is for are flushed one after the other.
  const folder = mkdtempSync(path.join(tmpdir(), 'orch-quota-'));
  const server = await startTestServer({ controllers: 'none', store: `lmdb://${folder}` });
  try {
    await withQuota(server, { pods: '1000' });
    const answers = await createPods(server, 1_300);
    assert.deepEqual([countOf(answers, 201), countOf(answers, 403)], [1_000, 300]);
    assert.equal((await server.request('GET', '/api/v1/namespaces/n/pods')).body.items.length, 1_000);
    assert.deepEqual(await used(server), { pods: '1k' });
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

for (const dialect of ['orch', 'kubernetes'] as const) {
  describe(dialect, () => {
    async function withServer(run: (server: TestServer) => Promise<void>): Promise<void> {
      const server = await startTestServer({ dialect, controllers: 'none' });
      try {
        await run(server);
      } finally {
        await server.close();
      }
    }

    test('objects of a kind that a definition declares count as others do, however they are created', () =>
      withServer(async (server) => {
        const group = dialect === 'orch' ? 'apiextensions.orch.io' : 'apiextensions.k8s.io';
        const definitions = `/apis/${group}/v1/customresourcedefinitions`;
        const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } };
        const names = { plural: 'foos', kind: 'Foo' };
        const spec = { group: 'example.com', scope: 'Namespaced', names, versions: [version] };
        const body = { apiVersion: `${group}/v1`, kind: 'CustomResourceDefinition', metadata: { name: 'foos.example.com' }, spec };
        assert.equal((await server.request('POST', definitions, body)).status, 201);
        await established(server, `${definitions}/foos.example.com`);
        await withQuota(server, { 'count/foos.example.com': '2' });
        const foos = '/apis/example.com/v1/namespaces/n/foos';
        const foo = (name: string): object => ({ apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name } });
        assert.equal((await server.request('POST', foos, foo('a'))).status, 201);
        assert.equal((await server.patch('apply', `${foos}/b?fieldManager=m`, foo('b'))).status, 201);
        assert.equal((await server.patch('apply', `${foos}/b?fieldManager=m`, foo('b'))).status, 200, 'what is there is not counted again');
        const refused = [await server.request('POST', foos, foo('c')), await server.patch('apply', `${foos}/c?fieldManager=m`, foo('c'))];
        for (const { status, body: told } of refused) {
          const why = 'exceeded quota: q, requested: count/foos.example.com=1, used: count/foos.example.com=2, limited: count/foos.example.com=2';
          assert.deepEqual([status, told.message], [403, `foos.example.com "c" is forbidden: ${why}`]);
        }
      }));

    test('R4.11-19 of 200 clients that create a pod in the same moment as many succeed as the scarcest amount has room for', () =>
      withServer(async (server) => {
        await withQuota(server, { pods: '100', 'requests.cpu': '8' });
        const answers = await Promise.all(Array.from({ length: CLIENTS }, (_, index) => createPod(server, index)));
        assert.deepEqual([countOf(answers, 201), countOf(answers, 403)], [80, 120]);
        const refusal = answers.find(({ status }) => status === 403)?.body;
        assert.match(refusal.message, /^pods "p\d+" is forbidden: exceeded quota: q, requested: requests.cpu=100m, used: requests.cpu=8, limited: requests.cpu=8$/);
        assert.equal((await server.request('GET', '/api/v1/namespaces/n/pods')).body.items.length, 80);
        assert.deepEqual(await used(server), { pods: '80', 'requests.cpu': '8' });
      }));
  });
}
