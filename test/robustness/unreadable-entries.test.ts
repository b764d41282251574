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

const encryptionWith = (byte: number): string =>
  JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [{ resources: ['secrets', 'deployments.apps'], providers: [{ aesgcm: { keys: [{ name: 'k', secret: Buffer.alloc(32, byte).toString('base64') }] } }] }],
  });
const encryption = encryptionWith(7);
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

test('an entry that its key does not open is no hindrance to who reads or watches others of its kind', async () => {
  const others = '/api/v1/namespaces/others/secrets';
  await withServer({ encryption }, async (server) => {
    assert.equal((await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'others' } })).status, 201);
    assert.equal((await server.request('POST', SECRETS, { metadata: { name: 'unreadable' } })).status, 201);
  });
  await withServer({ encryption: encryptionWith(8) }, async (server) => {
    const { body: made } = await server.request('POST', others, { metadata: { name: 'c' } });
    const { resourceVersion } = made.metadata;
    for (const query of ['', '?resourceVersion=0', `?resourceVersion=${resourceVersion}`]) {
      assert.deepEqual((await server.request('GET', `${others}/c${query}`)).body, made, query);
      assert.deepEqual((await server.request('GET', `${others}${query}`)).body.items.length, 1, query);
    }
    for (const query of [`&resourceVersion=${made.metadata.resourceVersion - 1}`, '', '&resourceVersion=0', '&fieldSelector=metadata.name%3Dc']) {
      const watch = await server.watch(`${others}?watch=1${query}`);
      const [first] = await watch.next(1);
      assert.deepEqual([first.type, first.object.metadata.name], ['ADDED', 'c'], query);
      const { body: later } = await server.request('POST', others, { metadata: { generateName: 'c' } });
      if (!query.includes('fieldSelector')) assert.deepEqual((await watch.next(1))[0].object, later, query);
      await server.request('DELETE', `${others}/${later.metadata.name}`);
      await watch.stop();
    }
    const [failed] = await (await server.watch(`${SECRETS}?watch=1`)).rest();
    assert.match(failed.object.message, /default\/\w+ cannot be decrypted/);
  });
});
