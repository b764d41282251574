import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { test } from 'node:test';
import { askBackEnd } from './back-end.ts';
import { failureOf, TransportFailure } from './failure.ts';
import { knownWords } from './known-words.ts';

const URL_CALLED = 'https://a.example/x';
const wordsFor = (fault: object, message = 'm'): string | undefined => knownWords(failureOf(Object.assign(new Error(message), fault), 'https://a.example'), URL_CALLED);

test('failures of connections are told in the words that clients know', () => {
  const told = [
    [{ code: 'ECONNREFUSED' }, 'dial tcp a.example:443: connect: connection refused'],
    [{ code: 'ECONNREFUSED', address: '2001:db8::1', port: 8443 }, 'dial tcp [2001:db8::1]:8443: connect: connection refused'],
    [{ code: 'EHOSTUNREACH', address: '192.0.2.1', port: 80 }, 'dial tcp 192.0.2.1:80: connect: no route to host'],
    [{ code: 'ENETUNREACH' }, 'dial tcp a.example:443: connect: network is unreachable'],
    [{ code: 'ENOTFOUND', hostname: 'b.example' }, 'dial tcp: lookup b.example: no such host'],
    [{ code: 'ECONNRESET' }, 'EOF'],
    [{ code: 'ECONNRESET', syscall: 'read' }, 'read: connection reset by peer'],
    [{ code: 'CERT_NOT_YET_VALID' }, 'x509: certificate has expired or is not yet valid'],
    [{ code: 'SELF_SIGNED_CERT_IN_CHAIN' }, 'x509: certificate signed by unknown authority (m)'],
    [{ code: 'EOTHER' }, 'cannot reach https://a.example: m'],
  ] as const;
  for (const [fault, words] of told) assert.equal(wordsFor(fault), words);
  const refused = Object.assign(new Error('m'), { code: 'ECONNREFUSED', address: '192.0.2.1', port: 80 });
  assert.equal(knownWords(failureOf(new AggregateError([refused]), 'https://a.example'), URL_CALLED), 'dial tcp 192.0.2.1:80: connect: connection refused');
  assert.equal(knownWords(new TransportFailure('too-large', 'm'), URL_CALLED), undefined);
});

test('names that a certificate does not have are told with those it has', () => {
  const told = [
    ['b.example', { subjectaltname: 'DNS:a.example, DNS:*.c.example, IP Address:192.0.2.1' }, 'certificate is valid for a.example, *.c.example, not b.example'],
    ['b.example', { subjectaltname: 'IP Address:192.0.2.1' }, 'certificate is not valid for any names, but wanted to match b.example'],
    ['192.0.2.2', { subjectaltname: 'DNS:a.example, IP Address:192.0.2.1' }, 'certificate is valid for 192.0.2.1, not 192.0.2.2'],
    ['192.0.2.2', { subjectaltname: 'DNS:a.example' }, `cannot validate certificate for 192.0.2.2 because it doesn't contain any IP SANs`],
    ['b.example', { subject: { CN: 'a.example' } }, 'certificate is not valid for any names, but wanted to match b.example'],
  ] as const;
  for (const [host, certificate, words] of told) {
    const fault = checkServerIdentity(host, { subject: {}, ...certificate } as PeerCertificate) as Error;
    assert.equal(knownWords(failureOf(fault, 'https://x'), URL_CALLED), `x509: ${words}`);
  }
  const common = { code: 'ERR_TLS_CERT_ALTNAME_INVALID', host: 'a.example', cert: { subject: { CN: 'A.example' } } };
  assert.equal(wordsFor(common), 'x509: certificate relies on legacy Common Name field, use SANs instead');
});

test('a server that speaks no TLS is told so', async (t) => {
  const plain = createServer().listen(0, '127.0.0.1');
  t.after(() => plain.close());
  t.after(() => plain.closeAllConnections());
  await once(plain, 'listening');
  const backEnd = { isSecure: true, host: '127.0.0.1', port: (plain.address() as AddressInfo).port, isLocalRefused: false };
  const failure = await askBackEnd(backEnd, { method: 'GET', path: '/', headers: {}, signal: new AbortController().signal }).catch((cause: unknown) => cause);
  assert.ok(failure instanceof TransportFailure);
  assert.equal(knownWords(failure, URL_CALLED), 'http: server gave HTTP response to HTTPS client');
});
