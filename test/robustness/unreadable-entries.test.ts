// What another program wrote into the store, or this one with a key that it has no longer, cannot be read: whoever asks is told which entry it is.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startTestServer, type TestServer, type TestServerOptions } from '#testing';

const store = `lmdb://${mkdtempSync(join(tmpdir(), 'orch-unreadable-'))}`;
after(() => rmSync(store.slice('lmdb://'.length), { recursive: true }));

const SECRETS = '/api/v1/namespaces/default/secrets';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const MANY = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', 'application/json;as=Table;v=v1;g=meta.k8s.io'];
const ONE = [...MANY, 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'];
const LISTED = [...MANY, 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'];

const encryption = JSON.stringify({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'EncryptionConfiguration',
  resources: [{ resources: ['secrets', 'deployments.apps'], providers: [{ aesgcm: { keys: [{ name: 'k', secret: Buffer.alloc(32, 7).toString('base64') }] } }] }],
});
const deployment = {
  metadata: { name: 'a' },
  spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } } },
};

async function withServer(options: TestServerOptions, use: (server: TestServer) => Promise<void>): Promise<void> {
  await using server = await startTestServer({ dialect: 'kubernetes', controllers: 'none', store, ...options });
  await use(server);
}

test('an entry whose key is lost is named to who reads it, in every form, and keeps its name', async () => {
  await withServer({ encryption }, async (server) => {
    for (const [path, body] of [[SECRETS, { metadata: { name: 'a' } }], [DEPLOYMENTS, deployment]] as const) {
      assert.equal((await server.request('POST', path, body)).status, 201);
    }
  });
  await withServer({}, async (server) => {
    const isTold = async (path: string, accept = 'application/json', method = 'GET'): Promise<void> => {
      const { status, text } = await server.request(method, path, undefined, { accept });
      assert.equal(status, 500, `${path} ${accept}`);
      assert.match(text, /\/registry\/\w+\/default\/a\s+is encrypted: give its key/, `${path} ${accept}`);
    };
    for (const accept of ONE) await isTold(`${SECRETS}/a`, accept);
    for (const accept of LISTED) await isTold(SECRETS, accept);
    for (const path of [`${SECRETS}?limit=1`, `${SECRETS}?resourceVersion=0`, `${SECRETS}?labelSelector=a`, `${DEPLOYMENTS}/a/scale`]) await isTold(path);
    for (const path of [SECRETS, `${SECRETS}/a`]) await isTold(path, 'application/json', 'DELETE');
    const taken = await server.request('POST', SECRETS, { metadata: { name: 'a' } });
    assert.deepEqual([taken.status, taken.body.reason], [409, 'AlreadyExists']);
    assert.equal((await server.request('POST', SECRETS, { metadata: { name: 'b' } })).status, 201);
    assert.equal((await server.request('GET', `${SECRETS}/b`)).status, 200);
  });
});
