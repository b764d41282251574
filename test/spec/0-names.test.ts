// The neutral token stands wherever a name of a product would, and no other: in everything that a fresh server says of itself.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestJson, type TestServer } from '#testing';

/** What the specification itself shows with another token, and what clients know documents and their types by, whatever serves them. */
const SHOWN = /x-kubernetes-[a-z-]+|"title":"Kubernetes"|\bio\.k8s\.[\w.-]+/g;
/** Names of other programs, and of fields that speak of one. */
const PROGRAMS = /kube(?=-(?:aggregator|apiserver|controller-manager|dns|proxy|scheduler))|kubelet|kubeProxyVersion/gi;

let server: TestServer;
before(async () => {
  server = await startTestServer({ dialect: 'orch', controllers: 'none' });
});
after(() => server.close());

/** The words of a text with a token of another product in them, each once. */
const foreign = (text: string): readonly string[] => [...new Set(text.replaceAll(SHOWN, '').replaceAll(PROGRAMS, '').match(/[\w./-]*(?:k8s|kube)[\w./-]*/gi) ?? [])].sort();

async function collections(): Promise<readonly string[]> {
  const { groups } = (await server.request('GET', '/apis')).body;
  const roots: string[] = ['/api/v1', ...groups.flatMap(({ versions }: TestJson) => versions.map(({ groupVersion }: TestJson) => `/apis/${groupVersion}`))];
  const found: string[] = [];
  for (const root of roots) {
    const { resources } = (await server.request('GET', root)).body;
    for (const { name, verbs } of resources) if (verbs.includes('list')) found.push(`${root}/${name}`);
  }
  return [...roots, ...found];
}

test('RX-30 paths, groups, objects, headers, documents and refusals have names with orch alone', async () => {
  const paths = ['/api', '/apis', '/version', '/openapi/v2', '/.well-known/openid-configuration', '/healthz?verbose', ...(await collections())];
  assert.ok(paths.length > 80);
  const wrong: string[] = [];
  for (const path of paths) {
    const { text, headers } = await server.request('GET', path);
    for (const word of foreign(`${text}\n${JSON.stringify(headers)}`)) wrong.push(`${path}: ${word}`);
  }
  assert.deepEqual(wrong, []);
});

test('RX-30 R0-02 the other media type and the annotation of the last apply are spelled with orch', async () => {
  const accept = 'application/json;as=Table;g=meta.orch.io;v=v1';
  assert.equal((await server.request('GET', '/api/v1/namespaces', undefined, { accept })).body.kind, 'Table');
  const binary = await server.request('GET', '/api/v1/namespaces', undefined, { accept: 'application/vnd.orch.protobuf' });
  assert.equal(binary.headers['content-type'], 'application/vnd.orch.protobuf');
  const refused = await server.request('GET', '/api/v1/namespaces', undefined, { accept: 'application/vnd.kubernetes.protobuf' });
  assert.equal(refused.status, 406);
});
