import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { brandOf } from '#api';
import { createClient, exchangeLocal, resourceOf, type Client } from '#client';
import { ConfigMap } from '#kinds';
import { startTestServer, TEST_TOKENS, type TestJson, type TestServer } from '#testing';
import { changeOwners, removeFinalizer } from './writes.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const [MINE, OTHER] = ['example.com/mine', 'example.com/other'];
const OWNER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'one' };

describe('what is taken off an object', () => {
  let server: TestServer;
  let client: Client;
  /** What others do between its read and its write, once. */
  let meanwhile: (() => Promise<unknown>) | undefined;
  let uid: string;
  const place = { resource: resourceOf(ConfigMap, brandOf('orch')), namespace: 'default', name: 'a' };

  const ask = async (method: string, path: string, body?: unknown): Promise<TestJson> => {
    const answer = await server.request(method, path, body);
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const make = (): Promise<TestJson> => ask('POST', PATH, { metadata: { name: 'a', finalizers: [MINE], ownerReferences: [OWNER] } });
  const remove = async (): Promise<void> => {
    await server.patch('merge', `${PATH}/a`, { metadata: { finalizers: null } });
    await server.request('DELETE', `${PATH}/a`);
  };

  before(async () => {
    server = await startTestServer({ controllers: 'none' });
    const { exchange } = server.server;
    const between: typeof exchange = async (request) => {
      const now = request.method === 'PATCH' ? meanwhile : undefined;
      if (now !== undefined) meanwhile = undefined;
      await now?.();
      return exchange(request);
    };
    client = createClient(exchangeLocal(between, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'orch' });
  });
  after(() => server.close());
  beforeEach(async () => {
    await remove();
    ({ uid } = (await make()).metadata);
  });

  it('leaves what others have put there meanwhile', async () => {
    const other = { ...OWNER, name: 'other', uid: 'other' };
    meanwhile = () => server.patch('merge', `${PATH}/a`, { metadata: { finalizers: [MINE, OTHER], ownerReferences: [OWNER, other] } });
    await removeFinalizer(client, place, uid, MINE);
    meanwhile = () => server.patch('merge', `${PATH}/a`, { metadata: { labels: { changed: 'yes' } } });
    await changeOwners(client, place, uid, (owners) => owners.filter((owner) => owner.uid !== OWNER.uid));
    const { metadata } = await ask('GET', `${PATH}/a`);
    assert.deepEqual([metadata.finalizers, metadata.ownerReferences, metadata.labels], [[OTHER], [other], { changed: 'yes' }]);
  });

  it('leaves another object that has taken the place of that one, before or meanwhile', async () => {
    const replace = async (): Promise<void> => {
      await remove();
      await make();
    };
    meanwhile = replace;
    await removeFinalizer(client, place, uid, MINE);
    await changeOwners(client, place, uid, () => []);
    const { metadata } = await ask('GET', `${PATH}/a`);
    assert.deepEqual([metadata.finalizers, metadata.ownerReferences], [[MINE], [OWNER]]);
    assert.notEqual(metadata.uid, uid);
  });

  it('may be gone', async () => {
    meanwhile = remove;
    await removeFinalizer(client, place, uid, MINE);
    await changeOwners(client, place, uid, () => []);
    assert.equal((await server.request('GET', `${PATH}/a`)).status, 404);
  });
});
