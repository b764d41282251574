import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate, type KeyObject } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { createServer, connect } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { parseIp } from '#api';
import { createAuthority, createServingCertificate, isServingCertificateGood, namesOfMachine } from './certificates.ts';
import { integer, oid, partsOf, sequence, time } from './der.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 16, 5, 9);
const DAY_MS = 24 * 3600 * 1000;

test('an authority signs itself and may sign others; what it signs for a server may not', () => {
  const authority = createAuthority(NOW_MS);
  const ca = new X509Certificate(authority.cert);
  assert.equal(ca.subject, `CN=orch-ca@${NOW_MS / 1000}`);
  assert.equal(ca.issuer, ca.subject);
  assert.ok(ca.ca && ca.verify(ca.publicKey) && ca.checkIssued(ca));
  const names = ['localhost', 'orch.example', '127.0.0.1', '::1', '203.0.113.7', '2001:db8::7'];
  const serving = createServingCertificate(authority, [...names, ...names], NOW_MS);
  const leaf = new X509Certificate(serving.cert);
  assert.ok(!leaf.ca && leaf.verify(ca.publicKey) && leaf.checkIssued(ca));
  assert.deepEqual(leaf.keyUsage, ['1.3.6.1.5.5.7.3.1']);
  for (const name of ['localhost', 'orch.example']) assert.equal(leaf.checkHost(name), name);
  for (const address of ['127.0.0.1', '::1', '203.0.113.7', '2001:db8::7']) assert.equal(leaf.checkIP(address), address);
  assert.equal(leaf.checkHost('other.example'), undefined);
  assert.equal(leaf.subjectAltName?.split(', ').length, names.length);
});

test('a serving certificate lives a year and is replaced in its last month, before it is valid, or with its authority', () => {
  const authority = createAuthority(NOW_MS);
  const names = ['orch.example', '203.0.113.7'];
  const serving = createServingCertificate(authority, names, NOW_MS);
  const leaf = new X509Certificate(serving.cert);
  assert.equal(Date.parse(leaf.validFrom), NOW_MS - DAY_MS);
  assert.equal(Date.parse(leaf.validTo), NOW_MS + 365 * DAY_MS);
  assert.ok(isServingCertificateGood(authority, serving, names, NOW_MS + 334 * DAY_MS));
  assert.ok(!isServingCertificateGood(authority, serving, names, NOW_MS + 336 * DAY_MS));
  assert.ok(!isServingCertificateGood(authority, serving, names, NOW_MS - 2 * DAY_MS), 'made while the clock was ahead');
  assert.ok(!isServingCertificateGood(createAuthority(NOW_MS), serving, names, NOW_MS));
  assert.ok(!isServingCertificateGood(authority, { ...serving, key: authority.key }, names, NOW_MS));
  for (const name of ['example', 'other.example', '203.0.113.8', '::ffff:cb00:7107']) assert.ok(!isServingCertificateGood(authority, serving, [...names, name], NOW_MS), name);
  for (const part of ['cert', 'key']) assert.ok(!isServingCertificateGood(authority, { ...serving, [part]: 'no PEM' }, [], NOW_MS), part);
});

test('a machine is known by its name and by each address that others can use', () => {
  const names = namesOfMachine();
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []).filter(({ scopeid = 0 }) => scopeid === 0).map(({ address }) => address);
  for (const name of ['localhost', hostname(), ...addresses]) assert.ok(names.includes(name), name);
  assert.deepEqual(names.filter((name) => name.startsWith('fe80')), []);
});

test('an authority of RSA signs as well, and one that cannot is named', () => {
  const { cert } = createAuthority(NOW_MS);
  const text = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const serving = createServingCertificate({ cert, key: text(rsa.privateKey) }, [], NOW_MS);
  assert.ok(new X509Certificate(serving.cert).verify(rsa.publicKey));
  const { privateKey } = generateKeyPairSync('ed25519');
  assert.throws(() => createServingCertificate({ cert, key: text(privateKey) }, [], NOW_MS), /neither EC nor RSA but ed25519/);
});

test('a client that trusts the authority alone speaks with a server that shows the certificate', async () => {
  const authority = createAuthority(Date.now());
  const serving = createServingCertificate(authority, ['127.0.0.1'], Date.now());
  const server = createServer(serving, (socket) => socket.end('hello'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const said = await new Promise((resolve, reject) => {
    connect({ host: '127.0.0.1', port, ca: authority.cert }).on('error', reject).once('data', (bytes) => resolve(String(bytes)));
  });
  assert.equal(said, 'hello');
  server.close();
});

test('values are written as the rules for certificates say', () => {
  assert.deepEqual([...oid('1.2.840.113549.1.1.11')], [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b]);
  assert.equal(time(Date.UTC(2049, 11, 31, 23, 59, 59)).subarray(2).toString(), '491231235959Z');
  assert.equal(time(Date.UTC(2050, 0, 1)).subarray(2).toString(), '20500101000000Z');
  for (const length of [0, 127, 128, 255, 256, 70_000]) {
    const parts = [integer(Buffer.alloc(length, 1)), integer(Buffer.of(1))];
    assert.deepEqual(partsOf(sequence(...parts)), parts);
  }
});

test('addresses are written in 4 or 16 bytes, and other texts are none', () => {
  assert.deepEqual(parseIp('203.0.113.7'), [203, 0, 113, 7]);
  assert.equal(Buffer.from(parseIp('::') ?? []).toString('hex'), '0'.repeat(32));
  assert.equal(Buffer.from(parseIp('2001:db8::ff00:42:8329') ?? []).toString('hex'), '20010db8000000000000ff0000428329');
  assert.equal(Buffer.from(parseIp('::ffff:192.0.2.1') ?? []).toString('hex'), '00000000000000000000ffffc0000201');
  for (const text of ['localhost', 'fe80::1%eth0', '1.2.3', '']) assert.equal(parseIp(text), undefined);
});
