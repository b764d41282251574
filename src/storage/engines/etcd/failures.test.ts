import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { StorageFailure, type StorageFailureCode } from '../../storage-failure.ts';
import { failureOf, sentFailureOf } from './failures.ts';

/** What gRPC says where there is no connection. */
const noConnection = (why: string): string => `No connection established. Last error: ${why}. Resolution note: `;
/** What OpenSSL says of a message of the other side. */
const openssl = (words: string): string => `80AC832E2C7F0000:error:0A000412:SSL routines:ssl3_read_bytes:${words}:../deps/openssl/rec_layer_s3.c:1601:SSL alert number 42\n (2026-01-02T03:04:05.678Z)`;

const SAID: readonly (readonly [code: status, details: string, failure: StorageFailureCode, told: string])[] = [
  [status.UNAVAILABLE, noConnection('Error: connect ECONNREFUSED 127.0.0.1:1'), 'unavailable', 'connect ECONNREFUSED 127.0.0.1:1'],
  [status.UNAVAILABLE, noConnection('Failed to connect (2026-01-02T03:04:05.678Z)'), 'unavailable', 'Failed to connect. Perhaps it hangs, or speaks with TLS alone: tls=true, https:// in --etcd-servers'],
  [status.UNAVAILABLE, noConnection('Error: read ECONNRESET'), 'unavailable', 'read ECONNRESET. Perhaps one of the two speaks with TLS and the other without: tls, http:// or https:// in --etcd-servers'],
  [status.UNAVAILABLE, 'read ECONNRESET', 'unavailable', 'read ECONNRESET'],
  [status.UNAVAILABLE, noConnection('Error: Protocol error'), 'unavailable', 'Protocol error. Perhaps what answers there is no etcd, or the port is that of its peers'],
  [status.UNAVAILABLE, noConnection('Error [ERR_TLS_X]: certificate has expired'), 'unavailable', 'certificate has expired. See to the certificate of etcd and to the clocks of both machines'],
  [status.UNAVAILABLE, noConnection('Error: self-signed certificate'), 'unavailable', 'self-signed certificate. Give the file of an authority that vouches for its certificate: cafile, --etcd-cafile'],
  [status.UNAVAILABLE, noConnection(openssl('wrong version number')), 'unavailable', 'wrong version number. Perhaps it speaks without TLS: leave out tls and the files, write http:// in --etcd-servers'],
  [
    status.UNAVAILABLE,
    noConnection(openssl('tlsv13 alert certificate required')),
    'unavailable',
    'tlsv13 alert certificate required. It wants the certificate of a client that it trusts: certfile and keyfile, --etcd-certfile and --etcd-keyfile',
  ],
  [
    status.DEADLINE_EXCEEDED,
    'Deadline exceeded after 2.868s,LB pick: 0.001s,remote_addr=127.0.0.1:2379',
    'unavailable',
    'no answer of 127.0.0.1:2379 within 2.868s. Perhaps too few of its members run: it answers while more than half of them do',
  ],
  [status.DEADLINE_EXCEEDED, 'Deadline exceeded after 1.000s,name resolution: 0.001s', 'unavailable', 'no answer within 1.000s. Perhaps too few of its members run: it answers while more than half of them do'],
  [
    status.UNAVAILABLE,
    'etcdserver: request timed out, possibly due to previous leader failure',
    'unavailable',
    'etcdserver: request timed out, possibly due to previous leader failure. Perhaps too few of its members run: it answers while more than half of them do',
  ],
  [
    status.UNKNOWN,
    'context deadline exceeded',
    'unavailable',
    'context deadline exceeded. Perhaps too few of its members run: it answers while more than half of them do',
  ],
  [status.UNAVAILABLE, 'etcdserver: no leader', 'unavailable', 'etcdserver: no leader. Perhaps too few of its members run: it answers while more than half of them do'],
  [status.UNAVAILABLE, 'etcdserver: leader changed', 'unavailable', 'etcdserver: leader changed'],
  [status.UNIMPLEMENTED, 'unknown service', 'unavailable', 'unknown service. Perhaps what answers there is no etcd'],
  [status.PERMISSION_DENIED, 'etcdserver: permission denied', 'unavailable', 'etcdserver: permission denied. The client certificate needs a role that may read and write all keys'],
  [status.UNAUTHENTICATED, 'etcdserver: invalid auth token', 'unavailable', 'etcdserver: invalid auth token. The client certificate needs a role that may read and write all keys'],
  [
    status.INVALID_ARGUMENT,
    'etcdserver: user name is empty',
    'unavailable',
    'etcdserver: user name is empty. The certificate of a client says who it is: certfile and keyfile, --etcd-certfile and --etcd-keyfile',
  ],
  [
    status.RESOURCE_EXHAUSTED,
    'etcdserver: mvcc: database space exceeded',
    'full',
    'etcdserver: mvcc: database space exceeded. Compact and defragment it, or raise --quota-backend-bytes, and disarm its alarm',
  ],
  [status.INVALID_ARGUMENT, 'etcdserver: request is too large', 'tooLarge', 'etcdserver: request is too large. Raise --max-request-bytes of etcd to store objects of this size'],
  [status.RESOURCE_EXHAUSTED, 'etcdserver: too many requests', 'unavailable', 'etcdserver: too many requests'],
  [status.DATA_LOSS, 'etcdserver: corrupt cluster', 'corrupt', 'etcdserver: corrupt cluster'],
];

test('what etcd refuses, or what stands between it and a server, is told in words that say what to do', () => {
  for (const [code, details, kind, told] of SAID) {
    const failure = failureOf({ code, details }, 'cannot read /a');
    assert.deepEqual([failure.code, failure.message], [kind, `etcd: cannot read /a: ${told}`]);
  }
});

test('whatever a write that was sent fails of, it may have been done, which its caller is told instead; but for what etcd refuses', () => {
  for (const code of [status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.UNKNOWN, status.DATA_LOSS]) {
    const failure = sentFailureOf({ code, details: 'etcdserver: mvcc: database space exceeded' }, 'cannot write /a');
    assert.ok(failure instanceof StorageFailure);
    assert.deepEqual([failure.code, failure.isUnconfirmed], ['unavailable', true], status[code]);
  }
  const refusal = { code: status.RESOURCE_EXHAUSTED, details: 'etcdserver: mvcc: database space exceeded' };
  assert.equal(sentFailureOf(refusal, 'cannot write /a'), refusal);
});
