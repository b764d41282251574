import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLIENT_USAGES, newRequester, person } from '../support/certificate-requests.ts';
import { everywhere, expect, expectFailure, PLACES } from './world.ts';

const hook = {
  name: 'hook.example.com',
  clientConfig: { url: 'https://127.0.0.1:1/' },
  rules: [{ apiGroups: ['nowhere.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['things'] }],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};

everywhere(PLACES.both, (world) => {
  const groupOf = (stem: string): string => world.brand.group(stem);

  test('R4.3-12 ValidatingWebhookConfiguration: every operation, outside of namespaces, without subresources', async () => {
    const apiVersion = `${groupOf('admissionregistration')}/v1`;
    const collection = `/apis/${apiVersion}/validatingwebhookconfigurations`;
    const name = world.fresh('vwc');
    const item = `${collection}/${name}`;
    const made = expect(201, await world.post(collection, { apiVersion, kind: 'ValidatingWebhookConfiguration', metadata: { name }, webhooks: [hook] }));
    assert.deepEqual(expect(200, await world.get(item)), made);
    expect(200, await world.put(item, { ...made, metadata: { ...made.metadata, labels: { a: 'b' } } }));
    expect(200, await world.patch('merge', item, { metadata: { labels: { a: 'c' } } }));
    expectFailure(404, 'NotFound', await world.get(`${item}/status`));
    expect(200, await world.delete(item));
    expect(200, await world.delete(`${collection}?labelSelector=a%3Db`));
  });

  test('R4.3-22 R4.3-23 R4.3-24 R4.3-25 CertificateSigningRequest: every operation, and its two subresources', async () => {
    const apiVersion = `${groupOf('certificates')}/v1`;
    const collection = `/apis/${apiVersion}/certificatesigningrequests`;
    const name = world.fresh('csr');
    const item = `${collection}/${name}`;
    const { base64 } = await (await newRequester()).make({ subject: person('jane') });
    const spec = { request: base64, signerName: 'example.com/signer', usages: CLIENT_USAGES };
    const made = expect(201, await world.post(collection, { apiVersion, kind: 'CertificateSigningRequest', metadata: { name }, spec }));
    assert.deepEqual(expect(200, await world.get(item)), made);
    const labelled = expect(200, await world.put(item, { ...made, metadata: { ...made.metadata, labels: { a: 'b' } } }));
    const approved = { type: 'Approved', status: 'True', reason: 'Test', message: 'fine' };
    const decided = expect(200, await world.put(`${item}/approval`, { ...labelled, status: { conditions: [approved] } }));
    assert.equal(decided.status.conditions[0].type, 'Approved');
    assert.deepEqual(expect(200, await world.get(`${item}/approval`)), decided);
    const failed = { type: 'Failed', status: 'True', reason: 'Test', message: 'no authority' };
    const signed = expect(200, await world.put(`${item}/status`, { ...decided, status: { conditions: [...decided.status.conditions, failed] } }));
    assert.deepEqual(signed.status.conditions.map(({ type }: { type: string }) => type), ['Approved', 'Failed']);
    expect(200, await world.patch('merge', `${item}/status`, { metadata: { annotations: { patched: 'yes' } } }));
    expect(200, await world.delete(item));
    expect(200, await world.delete(`${collection}?labelSelector=a%3Db`));
  });

  test('R4.8-16 a dry run keeps no address of a Service', async () => {
    const namespace = await world.namespace();
    const collection = `/api/v1/namespaces/${namespace}/services`;
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } };
    const { spec } = expect(201, await world.post(`${collection}?dryRun=All`, service));
    const fixed = { ...service, spec: { ...service.spec, ...(spec.clusterIP === undefined ? {} : { clusterIP: '10.0.99.99' }) } };
    expect(201, await world.post(`${collection}?dryRun=All`, fixed));
    assert.equal(expect(201, await world.post(collection, fixed)).spec.clusterIP, '10.0.99.99');
    const taken = { ...fixed, metadata: { name: 'b' } };
    expectFailure(422, 'Invalid', await world.post(`${collection}?dryRun=All`, taken));
  });

  test('R7-24 the role that a binding refers to cannot be changed', async () => {
    const apiVersion = `${groupOf('rbac')}/v1`;
    const collection = `/apis/${apiVersion}/clusterrolebindings`;
    const name = world.fresh('binding');
    const roleRef = { apiGroup: groupOf('rbac'), kind: 'ClusterRole', name: 'view' };
    const made = expect(201, await world.post(collection, { apiVersion, kind: 'ClusterRoleBinding', metadata: { name }, roleRef, subjects: [] }));
    const refused = expectFailure(422, 'Invalid', await world.put(`${collection}/${name}`, { ...made, roleRef: { ...roleRef, name: 'edit' } }));
    assert.equal(refused.details.causes[0].field, 'roleRef');
  });

  test('R4.2-19 R4.2-20 R4.2-21 R4.2-22 R4.2-23 R4.2-24 R4.2-25 verbs beyond those of HTTP are granted by rules like any other', async () => {
    const apiVersion = `${groupOf('rbac')}/v1`;
    const verbs = ['use', 'bind', 'escalate', 'impersonate', 'approve', 'sign', 'redirect'];
    const name = world.fresh('verbs');
    const rules = [{ apiGroups: ['example.com'], resources: ['things'], verbs }];
    expect(201, await world.post(`/apis/${apiVersion}/clusterroles`, { apiVersion, kind: 'ClusterRole', metadata: { name }, rules }));
    const subjects = [{ apiGroup: groupOf('rbac'), kind: 'User', name }];
    const roleRef = { apiGroup: groupOf('rbac'), kind: 'ClusterRole', name };
    expect(201, await world.post(`/apis/${apiVersion}/clusterrolebindings`, { apiVersion, kind: 'ClusterRoleBinding', metadata: { name }, roleRef, subjects }));
    const review = `${groupOf('authorization')}/v1`;
    for (const verb of [...verbs, 'frobnicate']) {
      const spec = { user: name, resourceAttributes: { group: 'example.com', resource: 'things', verb } };
      const { status } = expect(201, await world.post(`/apis/${review}/subjectaccessreviews`, { apiVersion: review, kind: 'SubjectAccessReview', spec }));
      assert.equal(status.allowed, verbs.includes(verb), verb);
    }
  });
});
