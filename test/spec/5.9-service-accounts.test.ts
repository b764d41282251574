import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestJson } from '#testing';
import { everywhere, expect, expectFailure, PLACES, type World } from './world.ts';

const HOUR_SECONDS = 3600;

/** A namespace with the account `default`, which says what is given. */
async function withAccount(world: World, more: object = {}): Promise<string> {
  const namespace = await world.namespace();
  expect(201, await world.post(world.path('ServiceAccount', namespace), world.object('ServiceAccount', { name: 'default' }, more)));
  return namespace;
}

async function pod(world: World, namespace: string, spec: object = {}): Promise<TestJson> {
  const body = { metadata: { name: world.fresh('pod') }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } };
  return expect(201, await world.post(`/api/v1/namespaces/${namespace}/pods`, body)).spec;
}

everywhere(PLACES.both, (world) => {
  test('R5.9-01 accounts of one name live in two namespaces and nowhere else', async () => {
    const [one, other] = [await withAccount(world), await withAccount(world)];
    for (const namespace of [one, other]) assert.equal(expect(200, await world.get(world.path('ServiceAccount', namespace, 'default'))).metadata.namespace, namespace);
    expectFailure(405, 'MethodNotAllowed', await world.post(world.path('ServiceAccount', ''), world.object('ServiceAccount', { name: 'a' })));
    expect(200, await world.delete(world.path('ServiceAccount', one, 'default')));
    expect(200, await world.get(world.path('ServiceAccount', other, 'default')));
  });

  test('R5.9-06 R5.9-10 R5.9-13 R5.9-15 R5.9-16 R5.9-17 R5.9-18 a pod finds a token of an hour, the authority and its namespace, under the known path', async () => {
    const namespace = await withAccount(world);
    const { volumes, containers } = await pod(world, namespace);
    const [volume] = volumes;
    const dialectPath = world.dialect === 'orch' ? '/var/run/secrets/orch.io/serviceaccount' : '/var/run/secrets/kubernetes.io/serviceaccount';
    assert.deepEqual(containers[0].volumeMounts, [{ name: volume.name, readOnly: true, mountPath: dialectPath }]);
    const [token, authority, place] = volume.projected.sources;
    // No audience is named: that of the server is meant. Seven seconds more than an hour tell such tokens from those that pods ask for themselves.
    assert.deepEqual(token, { serviceAccountToken: { expirationSeconds: HOUR_SECONDS + 7, path: 'token' } });
    const rootCa = world.dialect === 'orch' ? 'orch-root.crt' : 'kube-root-ca.crt';
    assert.deepEqual(authority, { configMap: { name: rootCa, items: [{ key: 'ca.crt', path: 'ca.crt' }] } });
    assert.deepEqual(place, { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } });
  });

  test('R5.9-04 R5.9-05 R5.9-11 R5.9-12 a pod runs under the account it names, or default, and takes its pull secrets where it has none', async () => {
    const namespace = await withAccount(world, { imagePullSecrets: [{ name: 'of-account' }] });
    const plain = await pod(world, namespace);
    assert.deepEqual([plain.serviceAccountName, plain.imagePullSecrets], ['default', [{ name: 'of-account' }]]);
    assert.deepEqual((await pod(world, namespace, { imagePullSecrets: [{ name: 'own' }] })).imagePullSecrets, [{ name: 'own' }]);
    const stranger = { metadata: { name: 'p' }, spec: { serviceAccountName: 'nobody', containers: [{ name: 'c', image: 'i' }] } };
    expectFailure(403, 'Forbidden', await world.post(`/api/v1/namespaces/${namespace}/pods`, stranger));
  });

  test('R4.11-13 a pod tolerates nodes that are not ready or not reached for five minutes, unless it says otherwise', async () => {
    const namespace = await withAccount(world);
    const node = world.dialect === 'orch' ? 'node.orch.io' : 'node.kubernetes.io';
    const tolerated = (spec: TestJson): string[] => spec.tolerations.map((one: TestJson) => `${one.key} ${one.effect} ${one.tolerationSeconds}`).sort();
    assert.deepEqual(tolerated(await pod(world, namespace)), [`${node}/not-ready NoExecute 300`, `${node}/unreachable NoExecute 300`]);
    const own = { key: `${node}/not-ready`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 7 };
    assert.deepEqual(tolerated(await pod(world, namespace, { tolerations: [own] })), [`${node}/not-ready NoExecute 7`, `${node}/unreachable NoExecute 300`]);
  });
});

everywhere(PLACES.both, (world) => {
  test('R2.13-02 reviews of tokens are served in v1 alone', async () => {
    const group = `/apis/${world.brand.group('authentication')}`;
    assert.deepEqual(expect(200, await world.get(group)).versions.map(({ version }: TestJson) => version), ['v1']);
    expectFailure(404, 'NotFound', await world.post(`${group}/v1beta1/tokenreviews`, { spec: { token: 'x' } }));
    expect(201, await world.post(`${group}/v1/tokenreviews`, { spec: { token: 'x' } }));
  });

  test('R2.13-10 R2.13-13 what is wrong with a token is said next to authenticated alone, and nothing of the token', async () => {
    const group = `/apis/${world.brand.group('authentication')}/v1/tokenreviews`;
    const bad = expect(201, await world.post(group, { spec: { token: 'secret-words' } })).status;
    assert.deepEqual([bad.authenticated ?? false, bad.user ?? {}], [false, {}]);
    assert.ok(!JSON.stringify(bad).includes('secret-words'));
    const good = expect(201, await world.post(group, { spec: { token: 'alicetoken' } })).status;
    assert.deepEqual([good.authenticated, good.user.username, good.error ?? ''], [true, 'alice', '']);
    assert.ok(!JSON.stringify(good).includes('alicetoken'));
  });
});
