import 'reflect-metadata';
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { BasicConstraintsExtension } from '@peculiar/x509';
import { brandOf, DIALECTS } from '#api';
import { startTestServer, TEST_TOKENS, TurnedClock, type TestAnswer, type TestJson } from '#testing';
import { CLIENT_USAGES, newRequester, node, person, SERVER_USAGES } from '../support/certificate-requests.ts';
import { User, type Rule } from './access.ts';
import { makeAuthority } from './made-certificates.ts';
import { causesOf, everywhere, expect, expectFailure, PLACES, type World } from './world.ts';

const CLIENT = ['client auth'];
const SIGNER = 'example.com/signer';
const requester = await newRequester();
const wish = (await requester.make({ subject: person('jane', 'dev') })).base64;
const certificate = (await (await makeAuthority('ca')).issue({ commonName: 'jane' })).cert;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const pathOf = (world: World, ...rest: readonly string[]): string => [`/apis/${world.brand.group('certificates')}/v1/certificatesigningrequests`, ...rest].join('/');
const objectOf = (name: string, spec: object): object => ({ kind: 'CertificateSigningRequest', metadata: { name }, spec: { request: wish, signerName: SIGNER, usages: CLIENT, ...spec } });
const ask = (world: World, name: string, spec: object = {}): Promise<TestAnswer> => world.post(pathOf(world), objectOf(name, spec));
const condition = (type: string, more: object = {}): object => ({ type, status: 'True', ...more });

/** `one` as it is after a decision, or after its certificate was issued. */
const withStatus = (one: TestJson, status: object): object => ({ ...one, status });

everywhere(PLACES.both, (world) => {
  const made = async (spec: object = {}): Promise<TestJson> => expect(201, await ask(world, world.fresh('csr'), spec));
  const csrs = { apiGroups: [world.brand.group('certificates')], resources: ['certificatesigningrequests'] };
  const approvals = { ...csrs, verbs: ['update'], resources: ['certificatesigningrequests/approval'] };
  const statuses = { ...csrs, verbs: ['update'], resources: ['certificatesigningrequests/status'] };
  const signers = (verb: string, ...resourceNames: readonly string[]) => ({ ...csrs, verbs: [verb], resources: ['signers'], resourceNames });

  test('R2.12-01 R2.12-02 R2.12-04 R2.12-13 R2.12-18 R3.2-01 R8-08 a request is served as it was made, and pending', async () => {
    const one = await made({ expirationSeconds: 600 });
    assert.equal(one.apiVersion, `${world.brand.group('certificates')}/v1`);
    assert.deepEqual([one.spec.request, one.spec.signerName, one.spec.expirationSeconds, one.status], [wish, SIGNER, 600, {}]);
    assert.deepEqual(expect(200, await world.get(pathOf(world, one.metadata.name))), one);
    assert.deepEqual((await made()).spec.expirationSeconds, undefined);
    assert.deepEqual(causesOf(expectFailure(422, 'Invalid', await ask(world, 'short', { expirationSeconds: 599 }))), ['FieldValueInvalid spec.expirationSeconds']);
    const bad = [base64('no request'), base64(certificate), wish.slice(0, 40)];
    for (const request of bad) assert.deepEqual(causesOf(expectFailure(422, 'Invalid', await ask(world, 'bad', { request }))), ['FieldValueInvalid spec.request']);
    expectFailure(400, 'BadRequest', await ask(world, 'bad', { request: '-----BEGIN CERTIFICATE REQUEST-----' }));
  });

  test('R2.12-03 R2.12-41 R2.12-43 the signer is required, and not the one that v1 does not have', async () => {
    const unsigned = expectFailure(422, 'Invalid', await ask(world, 'unsigned', { signerName: undefined }));
    assert.deepEqual(causesOf(unsigned), ['FieldValueRequired spec.signerName']);
    const legacy = expectFailure(422, 'Invalid', await ask(world, 'legacy', { signerName: world.brand.names.legacySigner }));
    assert.deepEqual(causesOf(legacy), ['FieldValueInvalid spec.signerName']);
  });

  test('R2.12-07 R2.12-08 R2.12-09 R2.12-10 R2.12-11 R3.2-02 R3.2-03 R3.2-04 a decision is a condition with words and times, through approval alone', async () => {
    for (const [type, other] of [['Approved', 'Denied'], ['Denied', 'Approved']] as const) {
      const one = await made();
      const path = pathOf(world, one.metadata.name);
      // Neither the object nor its status take a decision.
      expect(200, await world.put(path, withStatus(one, { conditions: [condition(type)] })));
      assert.deepEqual(expect(200, await world.get(path)).status, {});
      assert.equal((await world.put(`${path}/status`, withStatus(one, { conditions: [condition(type)] }))).status, 422);
      const words = { reason: 'AnyWord', message: 'any words at all' };
      const decided = expect(200, await world.put(`${path}/approval`, withStatus(one, { conditions: [condition(type, words)] })));
      const [{ lastUpdateTime, lastTransitionTime, ...rest }] = decided.status.conditions;
      assert.deepEqual(rest, { type, status: 'True', ...words });
      for (const time of [lastUpdateTime, lastTransitionTime]) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.equal(decided.status.certificate, undefined);
      const turned = expectFailure(422, 'Invalid', await world.put(`${path}/status`, withStatus(decided, { conditions: [condition(other)] })));
      const told = [`remove a condition of type "${type}"`, `add a condition of type "${other}"`].map((what) => `status.conditions: Forbidden: updates may not ${what}`);
      assert.ok((turned.message as string).endsWith(`is invalid: [${told.join(', ')}]`), turned.message as string);
      const both = withStatus(decided, { conditions: [...decided.status.conditions, condition(other)] });
      expectFailure(422, 'Invalid', await world.put(`${path}/approval`, both));
    }
  });

  test('R2.12-15 R2.12-16 R2.12-17 R3.2-07 R3.2-08 the certificate is issued through status, in plain blocks that can be read, with any text around them', async () => {
    const one = await made();
    const path = pathOf(world, one.metadata.name);
    const approved = expect(200, await world.put(`${path}/approval`, withStatus(one, { conditions: [condition('Approved')] })));
    const issue = (text: string) => world.put(`${path}/status`, withStatus(approved, { ...approved.status, certificate: base64(text) }));
    const broken = certificate.replace(/(-----BEGIN CERTIFICATE-----\n).{8}/, '$1AAAAAAAA');
    const headed = certificate.replace('-----BEGIN CERTIFICATE-----\n', '-----BEGIN CERTIFICATE-----\nSome-Header: x\n\n');
    for (const bad of ['no certificate', broken, headed, certificate.replaceAll('CERTIFICATE', 'PUBLIC KEY'), `${certificate}\n${broken}`]) {
      assert.deepEqual(causesOf(expectFailure(422, 'Invalid', await issue(bad))), ['FieldValueInvalid status.certificate'], bad);
    }
    const text = `what it is for\n${certificate}\nand who made it\n${certificate}\n`;
    expect(200, await issue(text));
    const reader = await new User(world).grant({ ...csrs, verbs: ['get'] });
    const read = expect(200, await reader.request('GET', path));
    assert.equal(Buffer.from(read.status.certificate, 'base64').toString(), text);
  });

  test('R3.2-14 a signer that cannot sign adds Failed through status', async () => {
    const one = await made();
    const path = pathOf(world, one.metadata.name);
    const approved = expect(200, await world.put(`${path}/approval`, withStatus(one, { conditions: [condition('Approved')] })));
    const conditions = [...approved.status.conditions, condition('Failed', { reason: 'Unwilling' })];
    const failed = expect(200, await world.put(`${path}/status`, withStatus(approved, { conditions })));
    assert.deepEqual(failed.status.conditions.map(({ type }: TestJson) => type), ['Approved', 'Failed']);
    expectFailure(422, 'Invalid', await world.put(`${path}/status`, withStatus(failed, approved.status)));
  });

  test('R2.12-21 nobody asks the signer of clients for the group that may everything', async () => {
    const powerful = (await requester.make({ subject: person('jane', 'system:masters') })).base64;
    expectFailure(403, 'Forbidden', await ask(world, 'powerful', { signerName: world.brand.names.clientSigner, request: powerful }));
    expect(201, await ask(world, world.fresh('csr'), { signerName: world.brand.names.clientSigner }));
    expect(201, await ask(world, world.fresh('csr'), { request: powerful }));
  });

  test('R4.10-01 R4.10-02 R4.10-06 making and reading need each its own verb', async () => {
    const { metadata } = await made();
    const item = pathOf(world, metadata.name);
    const calls = {
      create: (user: User) => user.codeOf('POST', pathOf(world), objectOf(world.fresh('csr'), {})),
      get: (user: User) => user.codeOf('GET', item),
      list: (user: User) => user.codeOf('GET', pathOf(world)),
      watch: (user: User) => user.codeOfWatch(`${pathOf(world)}?watch=1&resourceVersion=${metadata.resourceVersion}`),
    } as const;
    for (const granted of Object.keys(calls)) {
      const user = await new User(world).grant({ ...csrs, verbs: [granted] });
      for (const [verb, call] of Object.entries(calls)) {
        const done = verb === 'create' ? 201 : 200;
        assert.equal(await call(user), verb === granted ? done : 403, `${verb} with ${granted}`);
      }
    }
  });

  test('R4.10-03 R4.10-04 R4.10-05 R4.10-12 R3.2-06 a decision needs update on approval, and approve on the signer or its domain', async () => {
    const decide = async (...rules: readonly Rule[]): Promise<number> => {
      const user = await new User(world).grant(...rules);
      const one = await made();
      const path = pathOf(world, one.metadata.name);
      const { status } = await user.request('PUT', `${path}/approval`, withStatus(one, { conditions: [condition('Approved')] }));
      assert.equal(expect(200, await world.get(path)).status.conditions?.length ?? 0, status === 200 ? 1 : 0);
      return status;
    };
    assert.equal(await decide(approvals), 403);
    assert.equal(await decide(signers('approve', SIGNER)), 403);
    assert.equal(await decide({ ...csrs, verbs: ['update'] }, signers('approve', SIGNER)), 403);
    assert.equal(await decide(approvals, signers('sign', SIGNER)), 403);
    assert.equal(await decide(approvals, signers('approve', 'example.com/other', 'other.com/*')), 403);
    assert.equal(await decide(approvals, { ...signers('approve', SIGNER), apiGroups: [''] }), 403);
    assert.equal(await decide(approvals, signers('approve', SIGNER)), 200);
    assert.equal(await decide(approvals, signers('approve', 'example.com/*')), 200);
  });

  test('R4.10-07 R4.10-08 R4.10-09 R4.10-12 RX-26 signing needs update on status, and sign on the signer or its domain', async () => {
    const sign = async (...rules: readonly Rule[]): Promise<number> => {
      const user = await new User(world).grant(...rules);
      const one = await made();
      const path = pathOf(world, one.metadata.name);
      const approved = expect(200, await world.put(`${path}/approval`, withStatus(one, { conditions: [condition('Approved')] })));
      const { status } = await user.request('PUT', `${path}/status`, withStatus(approved, { ...approved.status, certificate: base64(certificate) }));
      assert.equal(expect(200, await world.get(path)).status.certificate !== undefined, status === 200);
      return status;
    };
    assert.equal(await sign(statuses), 403);
    assert.equal(await sign(signers('sign', SIGNER)), 403);
    assert.equal(await sign(approvals, { ...csrs, verbs: ['update'] }, signers('sign', SIGNER)), 403);
    assert.equal(await sign(statuses, signers('approve', SIGNER)), 403);
    assert.equal(await sign(statuses, signers('sign', 'example.com/other', 'other.com/*')), 403);
    assert.equal(await sign(statuses, signers('sign', SIGNER)), 200);
    assert.equal(await sign(statuses, signers('sign', 'example.com/*')), 200);
  });
});

for (const dialect of DIALECTS) {
  const { group, names } = brandOf(dialect);
  const path = `/apis/${group('certificates')}/v1/certificatesigningrequests`;

  test(`R4.10-10 R4.10-11 without the plugins nobody asks about the signer (${dialect})`, async () => {
    const server = await startTestServer({ dialect, controllers: 'none', admission: { disable: ['CertificateApproval', 'CertificateSigning'] } });
    const rbac = `/apis/${group('rbac')}/v1`;
    const rules = [{ verbs: ['update'], apiGroups: [group('certificates')], resources: ['certificatesigningrequests/approval', 'certificatesigningrequests/status'] }];
    expect(201, await server.request('POST', `${rbac}/clusterroles`, { metadata: { name: 'r' }, rules }));
    const subjects = [{ apiGroup: group('rbac'), kind: 'User', name: 'alice' }];
    expect(201, await server.request('POST', `${rbac}/clusterrolebindings`, { metadata: { name: 'r' }, roleRef: { apiGroup: group('rbac'), kind: 'ClusterRole', name: 'r' }, subjects }));
    const one = expect(201, await server.request('POST', path, objectOf('a', {})));
    const as = { authorization: `Bearer ${TEST_TOKENS.alice}` };
    const approved = expect(200, await server.request('PUT', `${path}/a/approval`, withStatus(one, { conditions: [condition('Approved')] }), as));
    expect(200, await server.request('PUT', `${path}/a/status`, withStatus(approved, { ...approved.status, certificate: base64(certificate) }), as));
    await server.close();
  });

  test(`R5.9-21 R5.9-22 R5.9-23 R8-09 R2.12-31 R2.12-39 the way of a user to a certificate of a year; no signer of nodes makes authorities (${dialect})`, async () => {
    const server = await startTestServer({ dialect, controllers: 'csrsigning' });
    const obtain = async (name: string, spec: object): Promise<X509Certificate> => {
      const one = expect(201, await server.request('POST', path, objectOf(name, spec)));
      const watch = await server.watch(`${path}?watch=1&resourceVersion=${one.metadata.resourceVersion}&fieldSelector=metadata.name%3D${name}`);
      expect(200, await server.request('PUT', `${path}/${name}/approval`, withStatus(one, { conditions: [condition('Approved')] })));
      const [, { object }] = await watch.next(2);
      await watch.stop();
      assert.ok(object.status.certificate, JSON.stringify(object.status));
      return new X509Certificate(Buffer.from(object.status.certificate, 'base64'));
    };
    const user = await obtain('jane', { signerName: names.clientSigner });
    assert.equal(user.subject, 'O=dev\nCN=jane');
    const DAY_MS = 24 * 3_600_000;
    assert.equal(Date.parse(user.validTo) - Date.parse(user.validFrom), 365 * DAY_MS);
    const extensions = [new BasicConstraintsExtension(true, undefined, true)];
    const client = (await requester.make({ subject: node('n'), extensions })).base64;
    assert.equal((await obtain('client', { signerName: names.nodeClientSigner, usages: CLIENT_USAGES, request: client })).ca, false);
    const serving = (await requester.make({ subject: node('n'), names: [{ type: 'dns', value: 'n.example.com' }], extensions })).base64;
    assert.equal((await obtain('serving', { signerName: names.nodeServingSigner, usages: SERVER_USAGES, request: serving })).ca, false);
    await server.close();
  });

  test(`R3.2-12 R8-12 what a signer could not sign goes an hour after that (${dialect})`, async () => {
    const server = await startTestServer({ dialect, clock: new TurnedClock(), controllers: 'csrcleaner' });
    const one = expect(201, await server.request('POST', path, objectOf('a', {})));
    const approved = expect(200, await server.request('PUT', `${path}/a/approval`, withStatus(one, { conditions: [condition('Approved')] })));
    const failed = withStatus(approved, { conditions: [...approved.status.conditions, condition('Failed')] });
    const { metadata } = expect(200, await server.request('PUT', `${path}/a/status`, failed));
    server.clock.advance('59m59s');
    expect(200, await server.request('GET', `${path}/a`));
    const watch = await server.watch(`${path}?watch=1&resourceVersion=${metadata.resourceVersion}`);
    server.clock.advance('1s');
    const [{ type, object }] = await watch.next(1);
    assert.deepEqual([type, object.metadata.name], ['DELETED', 'a']);
    await watch.stop();
    await server.close();
  });
}
