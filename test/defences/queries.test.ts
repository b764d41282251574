import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TEST_TOKENS, type TestAnswer } from '#testing';
import { brokenInto, doneOrRefused, refused } from '../robustness/judge.ts';

const server = brokenInto();
const PATH = '/api/v1/namespaces/default/configmaps';
const list = (query: string): Promise<TestAnswer> => server().request('GET', `${PATH}?${query}`);

test('continue tokens that were made up, changed or taken to another list open nothing that the caller may not see', async () => {
  for (const name of ['a', 'b', 'c']) await server().request('POST', PATH, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
  await server().request('POST', '/api/v1/namespaces/default/secrets', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hidden' } });
  const token = (await list('limit=1')).body.metadata.continue as string;
  const next = await list(`limit=1&continue=${encodeURIComponent(token)}`);
  assert.deepEqual(next.body.items.map((item: { readonly metadata: { readonly name: string } }) => item.metadata.name), ['b']);
  const inside = JSON.parse(Buffer.from(token, 'base64url').toString()) as Readonly<Record<string, unknown>>;
  const forge = (changes: object): string => Buffer.from(JSON.stringify({ ...inside, ...changes })).toString('base64url');
  const keys = ['../secrets/default/', '../../secrets/default/hidden\u0000', '/', '\u0000', 'default/../../', '/registry/secrets/default/hidden', '__proto__', 'x'.repeat(100_000)];
  for (const forged of [...keys.map((start) => forge({ start })), forge({ rv: -1 }), forge({ rv: 1e300 }), forge({ rv: '1' }), forge({ v: 'other' }), forge({ start: 1 }), 'e30', 'bnVsbA', 'W10', '!', token.slice(0, -3), `${token}AAAA`]) {
    const answer = await list(`limit=5&continue=${encodeURIComponent(forged)}`);
    doneOrRefused(answer);
    if (answer.status === 200) for (const item of answer.body.items) assert.equal(item.kind ?? 'ConfigMap', 'ConfigMap');
    assert.ok(!answer.text.includes('"hidden"'), answer.text);
  }
});

test('queries of any length are read once: thousands of requirements and parameters are done or refused', async () => {
  const requirements = Array.from({ length: 5_000 }, (_, n) => `k${n}!=v`).join(',');
  doneOrRefused(await list(`labelSelector=${encodeURIComponent(requirements)}`));
  doneOrRefused(await list(`labelSelector=${encodeURIComponent(`k in (${Array.from({ length: 20_000 }, (_, n) => `v${n}`).join(',')})`)}`));
  doneOrRefused(await list(`fieldSelector=${encodeURIComponent(Array(5_000).fill('metadata.name!=a').join(','))}`));
  doneOrRefused(await list(Array.from({ length: 20_000 }, (_, n) => `p${n}=1`).join('&')));
  doneOrRefused(await list('&'.repeat(100_000)));
  refused(await list(`labelSelector=${'('.repeat(50_000)}`));
});

test('path and scope confusion: a right to watch is no right to list, however the parameter is written', async () => {
  const rbac = '/apis/rbac.authorization.orch.io/v1/namespaces/default';
  const group = 'rbac.authorization.orch.io';
  const rules = [{ verbs: ['watch'], apiGroups: [''], resources: ['configmaps'] }, { verbs: ['list'], apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'] }];
  assert.equal((await server().request('POST', `${rbac}/roles`, { metadata: { name: 'w' }, rules })).status, 201);
  const binding = { metadata: { name: 'w' }, subjects: [{ kind: 'User', name: 'bob', apiGroup: group }], roleRef: { apiGroup: group, kind: 'Role', name: 'w' } };
  assert.equal((await server().request('POST', `${rbac}/rolebindings`, binding)).status, 201);
  const asBob = async (path: string): Promise<number> => (await server().request('GET', path, undefined, { authorization: `Bearer ${TEST_TOKENS.bob}` })).status;
  for (const query of ['watch=0', 'watch=false', 'watch=False', 'watch=FALSE', 'watch=0&watch=1', '', 'Watch=1', '%77atch=false']) assert.equal(await asBob(`${PATH}?${query}`), 403, query);
  const secrets = '/api/v1/namespaces/default/secrets';
  assert.equal(await asBob(`${secrets}?fieldSelector=metadata.name%3Dmine`), 200);
  assert.equal(await asBob(`${secrets}?fieldSelector=metadata.name%3D%3Dmine`), 200);
  for (const text of ['metadata.name=other=mine', 'metadata.name!=mine', 'metadata.name=other', 'metadata.name==other=mine', '', 'metadata.namespace=mine']) {
    assert.equal(await asBob(`${secrets}?fieldSelector=${encodeURIComponent(text)}`), 403, text);
  }
  assert.equal(await asBob(`${secrets}?fieldSelector=&fieldSelector=metadata.name%3Dmine`), 403);
});
