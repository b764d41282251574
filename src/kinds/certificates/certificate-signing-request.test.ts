import assert from 'node:assert/strict';
import { verify } from 'node:crypto';
import { test } from 'node:test';
import type { Signed } from '#api';
import { cellsOf, write } from '../test-support.ts';
import { CertificateSigningRequest, type CertificateSigningRequest as Csr } from './certificate-signing-request.ts';

/** A real request, in PEM, in base64. */
const REQUEST = [
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlJQ1pUQ0NBVTBDQVFBd0lERVFNQTRHQTFVRUF3d0hjMjl0Wlc5dVpURU1NQW9HQTFVRUNn',
  'd0RaR1YyTUlJQgpJakFOQmdrcWhraUc5dzBCQVFFRkFBT0NBUThBTUlJQkNnS0NBUUVBOFVuRXdFazlLMVYxSnR4WVJjS0ZNeVArCnB3eVZlVWFhbmFtWGFz',
  'a3FHdFJleUMxWmYwRlk0cFA1L04xQnNQc1RITFVmcEFVNWw0QVcrczg5WG4rd2kyVW0Ka0Q5NnJDbGkzL0VMajRMMDhPSEp2YTAvRnFPcUdIanFZZ29heDJ3',
  'N2QvQzFjNVFkUVg1YTY4MVVsdER1WE8xagpabzN4ZXBlTDV4NkxjVFgvSzNKUzkyNzNRODJ0V1VLT1pnU3NuVENjcGREZHFrZzEyb1pXMUN4TVVJM0RnbGMv',
  'Clo2OS9tZ1BPK2YxajZtdnBJVHNaLzZwbXlaOWIwZVQ3aEN3cElCdTRZaE1yRk1uVmxZRExmVG45SEduZXFtQkkKQk11dStiMThTeEpIS3pURURzMDFGV2xq',
  'd29kbENUSFJMUnIzc3V4d3U4SUtSWkJObENBNjhCNzN4Qm00UlFJRApBUUFCb0FBd0RRWUpLb1pJaHZjTkFRRUxCUUFEZ2dFQkFHSUc4SU9tRkoxUm9hSlVE',
  'SkxKNVk0aXY1RVdhak9rCjI3T1owRnQ3a3ZUNHZ2WmZNQkNHbUZZNFZIOG1rN0hXUk14R0FzVkl1VFVEbjd0WFhWN3RuSzJTWGx4TGZzSU0KUCtOb0w5N0hs',
  'UENkcmloK0xIUGF2ODMxbGR2MU1iU2U0OGtOMUt4aFJpTS83VXVKeUpSeHJWS29UcVhmRmRQKwo1dXlXMHQzRXA4VWJGY0lOcm9BbFYxR2tqR2VWTFNJc2lW',
  'UW01Vk5RNzVheWdYZWlXditvZzJocmpadHBrL2hnCmlYeTRoM0ZjL1lhTW9XTFFBTGwwRlhJZ2kzV3ZNWmdTK0h5YytuVFc0V014OEdVOEpidDExTThpakxr',
  'SHArdGEKQk96Wmg3QlJlVU50S010NE1BS2VrRDdsQnpob0Z4YmxGclJidFNqbE9yeGNkSlJMeTJMZTViWT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVT',
  'VC0tLS0tCg==',
].join('');

const SPEC = { request: REQUEST, signerName: 'example.com/s', usages: ['client auth'] };
const USER = { name: 'u', uid: '7', groups: ['g'], extra: { scopes: ['a'] } };
const PEM = Buffer.from(REQUEST, 'base64').toString();
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const create = (spec: object): readonly string[] => write(CertificateSigningRequest, { body: { spec: { ...SPEC, ...spec } }, user: USER }).causes;

const cases: readonly (readonly [title: string, spec: object, causes: readonly string[]])[] = [
  ['as it should be', {}, []],
  ['no request', { request: null }, ['Invalid spec.request']],
  ['something else in PEM', { request: base64(PEM.replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE')) }, ['Invalid spec.request']],
  ['a request cut off', { request: base64(PEM.replace(/MII.*\n/, '')) }, ['Invalid spec.request']],
  ['text before and after it', { request: base64(`text\n${PEM}more`) }, []],
  ['one that begins twice', { request: base64(`-----BEGIN CERTIFICATE REQUEST-----\n${PEM}`) }, []],
  ['lines of another system', { request: base64(PEM.replaceAll('\n', '\r\n')) }, []],
  ['headers', { request: base64(PEM.replace('\n', '\nA: b\n\n')) }, []],
  ['a line that begins with a space', { request: base64(` ${PEM}`) }, ['Invalid spec.request']],
  ['an end with something behind it', { request: base64(PEM.replace(/\n$/, 'x\n')) }, ['Invalid spec.request']],
  ['an end of something else', { request: base64(PEM.replace('END CERTIFICATE REQUEST', 'END CERTIFICATE')) }, ['Invalid spec.request']],
  ['a certificate before it', { request: base64(`${PEM.replaceAll(' REQUEST', '')}${PEM}`) }, ['Invalid spec.request']],
  ['a request with a sign that base64 does not have', { request: base64(PEM.replace('MII', 'M!I')) }, ['Invalid spec.request']],
  ['one that is broken before it', { request: base64(`${PEM.replace('MII', 'M!I')}${PEM}`) }, []],
  ['no usages', { usages: [] }, ['Required spec.usages']],
  ['an unknown usage', { usages: ['any', 'fun'] }, ['NotSupported spec.usages[1]']],
  ['a usage twice', { usages: ['any', 'any'] }, ['Duplicate spec.usages[1]']],
  ['a usage twice, and behind it an unknown one', { usages: ['any', 'any', 'fun'] }, ['NotSupported spec.usages[2]', 'Duplicate spec.usages[1]']],
  ['no signer', { signerName: '' }, ['Required spec.signerName']],
  ['a signer without path', { signerName: 'example.com' }, ['Invalid spec.signerName']],
  ['a signer with two', { signerName: 'a.b/c/d' }, ['Invalid spec.signerName']],
  ['a signer with an empty one', { signerName: 'example.com/' }, ['Invalid spec.signerName']],
  ['a signer without dot', { signerName: 'example/s' }, ['Invalid spec.signerName']],
  ['a signer of nothing but dots', { signerName: '../x' }, ['Invalid spec.signerName']],
  ['a domain too long', { signerName: `${'a.'.repeat(130)}b/s` }, ['TooLong spec.signerName']],
  ['the longest signer', { signerName: `${'a.'.repeat(126)}b/${'b'.repeat(253)}.${'c'.repeat(63)}` }, []],
  ['a signer too long', { signerName: `${'a.'.repeat(126)}b/${'b'.repeat(253)}.${'c'.repeat(64)}` }, ['TooLong spec.signerName']],
  ['the signer of old', { signerName: 'orch.io/legacy-unknown' }, ['Invalid spec.signerName']],
  ['ten minutes', { expirationSeconds: 600 }, []],
  ['less than that', { expirationSeconds: 599 }, ['Invalid spec.expirationSeconds']],
];

test('CertificateSigningRequest: who asks holds the key', () => {
  const asked: Signed[] = [];
  const isRefused = (answer: boolean): boolean => {
    const verifySignature = (signed: Signed): boolean => asked.push(signed) > 0 && answer;
    return write(CertificateSigningRequest, { body: { spec: SPEC }, user: USER, verifySignature }).causes.includes('Invalid spec.request');
  };
  assert.deepEqual([isRefused(true), isRefused(false)], [false, true]);
  // Whoever verifies it gets what was signed and the key in it.
  const [signed] = asked;
  assert.ok(signed !== undefined && verify('sha256', signed.content, { key: Buffer.from(signed.publicKey), format: 'der', type: 'spki' }, signed.signature));
  assert.equal(signed.algorithm, '2a864886f70d01010b');
});

for (const [title, spec, causes] of cases) {
  test(`CertificateSigningRequest: ${title}`, () => assert.deepEqual(create(spec), causes));
}

test('CertificateSigningRequest: a label of a signer that cannot be printed is told in escapes', () => {
  const { messages } = write(CertificateSigningRequest, { body: { spec: { ...SPEC, signerName: 'a\u200b.com/s' } }, user: USER });
  assert.match(messages[0] ?? '', /: validating label "a\\u200b": a lowercase RFC 1123 label /);
});

const made = (status: object = {}): Csr => ({ ...(write(CertificateSigningRequest, { body: { spec: SPEC }, user: USER }).object as Csr), status });

test('CertificateSigningRequest: who asks is who sends, whatever the body says, and the request stays', () => {
  const body = { spec: { ...SPEC, username: 'root', groups: ['system:masters'], extra: { more: ['x'] } } };
  const { username, uid, groups, extra } = (write(CertificateSigningRequest, { body, user: USER }).object as Csr).spec;
  assert.deepEqual({ username, uid, groups, extra }, { username: 'u', uid: '7', groups: ['g'], extra: { scopes: ['a'] } });
  const live = made();
  const changed = write(CertificateSigningRequest, { body: { spec: { ...SPEC, usages: ['any'] } }, live, user: { name: 'other', groups: [] } });
  assert.deepEqual((changed.object as Csr).spec, live.spec);
});

/** The least that has the form of one: serial number, algorithm, issuer, validity, subject and key; then algorithm and signature. */
const CERTIFICATE = [0x30, 22, 0x30, 15, 2, 1, 1, 0x30, 0, 0x30, 2, 0x31, 0, 0x30, 0, 0x30, 0, 0x30, 0, 0x30, 0, 3, 1, 0];
const NAMELESS = [0x30, 24, 0x30, 17, 2, 1, 1, 0x30, 0, 0x30, 2, 0x31, 0, 0x30, 0, 0x30, 2, 0x35, 0, 0x30, 0, 0x30, 0, 3, 1, 0];
const certificatePem = (bytes: readonly number[], label = 'CERTIFICATE', headers = ''): string =>
  base64(`-----BEGIN ${label}-----\n${headers}${bytes.length === 0 ? '' : `${btoa(String.fromCharCode(...bytes))}\n`}-----END ${label}-----\n`);
const ISSUED = certificatePem(CERTIFICATE);

test('CertificateSigningRequest: what calls itself a request has the parts of one, and nothing behind them', () => {
  const inside = (tag: number, ...parts: readonly (readonly number[])[]): number[] => [tag, parts.flat().length, ...parts.flat()];
  const [version, name, key, id] = [inside(0x02, [0]), inside(0x30), inside(0x30), inside(0x06, [0x2a])];
  const [content, algorithm, signature] = [inside(0x30, version, name, key), inside(0x30, id), inside(0x03, [0, 1])];
  const ofContent = (...parts: readonly (readonly number[])[]): number[] => inside(0x30, inside(0x30, ...parts), algorithm, signature);
  const isRefused = (bytes: readonly number[]): boolean => create({ request: certificatePem(bytes, 'CERTIFICATE REQUEST') }).length > 0;
  assert.equal(isRefused(inside(0x30, content, algorithm, signature)), false);
  const broken: readonly (readonly number[])[] = [
    [],
    ofContent(),
    ofContent(inside(0x04, [0]), name, key),
    ofContent(version, inside(0x31), key),
    ofContent(version, name),
    ofContent(version, name, inside(0x31)),
    inside(0x31, content, algorithm, signature),
    inside(0x30, inside(0x31, version, name, key), algorithm, signature),
    inside(0x30, content, inside(0x30), signature),
    inside(0x30, content, inside(0x30, inside(0x02, [0x2a])), signature),
    inside(0x30, content, inside(0x31, id), signature),
    inside(0x30, content, algorithm),
    inside(0x30, content, algorithm, inside(0x04, [0, 1])),
    inside(0x30, content, algorithm, inside(0x03, [1, 1])),
    inside(0x30, content, algorithm, signature, version),
    inside(0x30, content, algorithm, signature, [0x02]),
    [...inside(0x30, content, algorithm, signature), 0],
    inside(0x30, content, algorithm, signature).slice(0, -1),
    [0x30, 0x80, ...content, ...algorithm, ...signature],
  ];
  assert.deepEqual(broken.filter((bytes) => !isRefused(bytes)), []);
});

const condition = (type: string, status = 'True'): object => ({ type, status });
const DECIDED = { ...condition('Approved'), lastUpdateTime: '2020-01-01T00:00:00Z', lastTransitionTime: '2020-01-01T00:00:00Z' };
const DENIED = { ...DECIDED, type: 'Denied' };
const PART = 'status.conditions';

const changes: readonly (readonly [title: string, path: string, live: object, next: object, causes: readonly string[]])[] = [
  ['approval', 'approval', {}, { conditions: [condition('Approved')] }, []],
  ['approval by the wrong path', 'status', {}, { conditions: [condition('Approved')] }, [`Forbidden ${PART}`]],
  ['another condition', 'status', {}, { conditions: [condition('Failed'), condition('X', 'False')] }, []],
  ['a failure after the decision', 'status', { conditions: [DECIDED] }, { conditions: [DECIDED, condition('Failed')] }, []],
  ['both decisions', 'approval', {}, { conditions: [condition('Approved'), condition('Denied')] }, [`Invalid ${PART}[1].type`]],
  ['both decisions, one of them twice', 'approval', {}, { conditions: [condition('Approved'), condition('Denied'), condition('Approved')] }, [`Invalid ${PART}[1].type`, `Invalid ${PART}[2].type`, `Duplicate ${PART}[2].type`]],
  ['a decision half made', 'approval', {}, { conditions: [condition('Denied', 'False')] }, [`NotSupported ${PART}[0].status`]],
  ['a decision taken back', 'approval', { conditions: [condition('Approved')] }, {}, [`Forbidden ${PART}`]],
  ['the same twice', 'status', {}, { conditions: [condition('X'), condition('X')] }, [`Duplicate ${PART}[1].type`]],
  ['a condition without content', 'status', {}, { conditions: [{}] }, [`Required ${PART}[0].type`, `Required ${PART}[0].status`]],
  ['no certificate', 'status', {}, { certificate: base64('not pem') }, ['Invalid status.certificate']],
  ['a request for a certificate', 'status', {}, { certificate: REQUEST }, ['Invalid status.certificate']],
  ['a request that calls itself a certificate', 'status', {}, { certificate: base64(PEM.replaceAll(' REQUEST', '')) }, ['Invalid status.certificate']],
  ['a block of nothing', 'status', {}, { certificate: certificatePem([]) }, ['Invalid status.certificate']],
  ['a certificate', 'status', {}, { certificate: certificatePem(CERTIFICATE) }, []],
  ['a certificate under another label', 'status', {}, { certificate: certificatePem(CERTIFICATE, 'TRUSTED CERTIFICATE') }, ['Invalid status.certificate']],
  ['a certificate whose subject is no name', 'status', {}, { certificate: certificatePem(NAMELESS) }, ['Invalid status.certificate']],
  ['a certificate with headers', 'status', {}, { certificate: certificatePem(CERTIFICATE, 'CERTIFICATE', 'A: b\n\n') }, ['Invalid status.certificate']],
  ['a certificate that stays', 'status', { certificate: ISSUED }, { certificate: ISSUED, conditions: [condition('X')] }, []],
  ['another certificate', 'status', { certificate: ISSUED }, { certificate: certificatePem([...CERTIFICATE, ...CERTIFICATE]) }, ['Forbidden status.certificate']],
  ['a certificate that is taken back', 'status', { certificate: ISSUED }, {}, ['Forbidden status.certificate']],
  ['a certificate that names its version', 'status', {}, { certificate: certificatePem([0x30, 27, 0x30, 20, 0xa0, 3, 2, 1, 2, ...CERTIFICATE.slice(4)]) }, []],
  ['a certificate that is cut off', 'status', {}, { certificate: certificatePem(CERTIFICATE.slice(0, -1)) }, ['Invalid status.certificate']],
  ['two certificates in a block', 'status', {}, { certificate: certificatePem([...CERTIFICATE, ...CERTIFICATE]) }, []],
  ['both decisions that are stored', 'status', { conditions: [DECIDED, DENIED] }, { conditions: [DECIDED, DENIED, condition('X')] }, []],
  ['both decisions that are stored, and one of them again', 'approval', { conditions: [DECIDED, DENIED] }, { conditions: [DECIDED, DENIED, DENIED] }, [`Duplicate ${PART}[2].type`]],
  ['a type that is stored twice', 'status', { conditions: [condition('X'), condition('X')] }, { conditions: [condition('X'), condition('X'), condition('Y'), condition('Y')] }, []],
  ['a type that is stored twice beside one of both decisions', 'approval', { conditions: [condition('X'), condition('X')] }, { conditions: [DECIDED, DENIED] }, [`Invalid ${PART}[1].type`]],
  ['no type, as it is stored', 'status', { conditions: [condition('')] }, { conditions: [condition(''), condition('X', '')] }, [`Required ${PART}[1].status`]],
  ['no certificate, as it is stored', 'status', { certificate: base64('not pem') }, { certificate: base64('not pem'), conditions: [condition('X')] }, []],
  ['no certificate in the place of another', 'status', { certificate: base64('not pem') }, { certificate: base64('nor this') }, ['Forbidden status.certificate']],
  ['no certificate in the place of one', 'status', { certificate: ISSUED }, { certificate: base64('nor this') }, ['Invalid status.certificate', 'Forbidden status.certificate']],
  ['a certificate and something else', 'status', {}, { certificate: certificatePem([...CERTIFICATE, 0x30, 0]) }, ['Invalid status.certificate']],
];

for (const [title, subresource, live, next, causes] of changes) {
  test(`CertificateSigningRequest: ${title}`, () => {
    const body = { spec: SPEC, status: next };
    assert.deepEqual(write(CertificateSigningRequest, { body, live: made(live), subresource }).causes, causes);
  });
}

test('CertificateSigningRequest: what v1beta1 took can be decided, but is not taken anew', () => {
  const spec = { ...SPEC, signerName: 'orch.io/legacy-unknown', usages: ['fun', 'any', 'any'] };
  assert.deepEqual(create(spec), ['NotSupported spec.usages[0]', 'Duplicate spec.usages[2]', 'Invalid spec.signerName']);
  const live = { ...made(), spec: { ...made().spec, ...spec } };
  for (const subresource of ['', 'approval', 'status']) assert.deepEqual(write(CertificateSigningRequest, { body: { spec }, live, subresource }).causes, [], subresource);
});

test('CertificateSigningRequest: a signer that repeats a decision in other words leaves it as it was', () => {
  const decided = { ...DECIDED, reason: 'a' };
  const status = { conditions: [condition('Failed'), { ...condition('Approved', 'False'), reason: 'b' }] };
  const { causes, object } = write(CertificateSigningRequest, { body: { spec: SPEC, status }, live: made({ conditions: [decided] }), subresource: 'status' });
  assert.deepEqual(causes, []);
  assert.deepEqual((object as Csr).status.conditions?.[1], decided);
});

test('CertificateSigningRequest: times are filled in, and that of a change is kept', () => {
  const approve = (live: Csr): Csr =>
    write(CertificateSigningRequest, { body: { spec: SPEC, status: { conditions: [condition('Approved')] } }, live, subresource: 'approval' }).object as Csr;
  const first = approve(made());
  assert.equal(first.status.conditions?.[0]?.lastUpdateTime, '1970-01-01T00:00:00Z');
  assert.deepEqual(approve(made({ conditions: [DECIDED] })).status.conditions, [{ ...DECIDED, lastUpdateTime: '1970-01-01T00:00:00Z' }]);
});

test('R2.5-12 CertificateSigningRequest: columns', () => {
  assert.deepEqual(cellsOf(CertificateSigningRequest, made()).slice(1), ['example.com/s', 'u', '<none>', 'Pending']);
  const done = made({ conditions: [condition('Approved'), condition('Failed')], certificate: 'YQ==' });
  assert.equal(cellsOf(CertificateSigningRequest, done).at(-1), 'Approved,Failed,Issued');
});
