import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import type { ApiObject, Dialect } from '#api';
import { requestBytes } from '#kinds';
import { admit, make, refused, type Setting } from '../../test-support.ts';
import { certificateApproval } from './certificate-approval.ts';
import { certificateSigning } from './certificate-signing.ts';
import { certificateSubjectRestriction } from './certificate-subject-restriction/index.ts';

const csr = (spec: object, status: object = {}): ApiObject => make('CertificateSigningRequest', 'c', { spec: { signerName: 'example.com/s', ...spec }, status });
const asked: string[] = [];
const nobodyMay = (subresource: string): Setting => ({
  subresource,
  namespace: '',
  may: (what) => {
    asked.push(`${what.verb} ${what.resource} ${(what as { readonly name?: string }).name ?? ''}`);
    return false;
  },
});

test('CertificateApproval: whoever decides holds approve on the signer or on its domain', async () => {
  const live = csr({});
  await admit(certificateApproval, csr({}, { conditions: [{ type: 'Approved' }] }), { live, subresource: 'approval', namespace: '' });
  asked.length = 0;
  const words = 'user not permitted to approve requests with signerName "example.com/s"';
  await assert.rejects(admit(certificateApproval, csr({ signerName: 'other.com/x' }), { live, ...nobodyMay('approval') }), refused(words));
  assert.deepEqual(asked, ['approve signers example.com/s', 'approve signers example.com/*']);
});

test('CertificateSigning: whoever changes what became of it holds sign; who changes nothing needs nothing', async () => {
  const live = csr({});
  const words = 'user not permitted to sign requests with signerName "example.com/s"';
  for (const status of [{ certificate: 'YQ==' }, { conditions: [{ type: 'Failed', status: 'True' }] }]) {
    asked.length = 0;
    await assert.rejects(admit(certificateSigning, csr({}, status), { live, ...nobodyMay('status') }), refused(words));
    assert.deepEqual(asked, ['sign signers example.com/s', 'sign signers example.com/*']);
    await admit(certificateSigning, csr({}, status), { live, subresource: 'status', namespace: '' });
  }
  await admit(certificateSigning, csr({}, { conditions: [] }), { live, ...nobodyMay('status') });
});

/** A request as OpenSSL makes it, as the API carries it. */
function requestFor(subject: string, ...more: readonly string[]): string {
  const args = ['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', '/dev/null', '-subj', subject, ...more];
  return execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'ignore'] }).toString('base64');
}

const SIGNERS: readonly (readonly [Dialect, string])[] = [
  ['orch', 'orch.io/apiserver-client'],
  ['kubernetes', 'kubernetes.io/kube-apiserver-client'],
];

for (const [dialect, signerName] of SIGNERS) {
  test(`CertificateSubjectRestriction: nobody becomes system:masters through ${signerName}`, async () => {
    const create = (subject: string, more: object = {}): Promise<ApiObject> =>
      admit(certificateSubjectRestriction, csr({ signerName, request: requestFor(subject), ...more }), { namespace: '', dialect });
    const words = `use of ${signerName} signer with system:masters group is not allowed`;
    for (const subject of ['/O=system:masters/CN=x', '/CN=x/O=dev/O=system:masters', '/CN=x/O=dev+O=system:masters']) {
      await assert.rejects(admit(certificateSubjectRestriction, csr({ signerName, request: requestFor(subject, '-multivalue-rdn') }), { namespace: '', dialect }), refused(words));
    }
    await create('/O=dev/CN=system:masters');
    await create('/CN=x');
    await create('/O=system:masters/CN=x', { signerName: 'example.com/s' });
    for (const request of ['', 'bm9uc2Vuc2U=', '*', Buffer.from('-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----').toString('base64')]) {
      await assert.rejects(create('/CN=x', { request }), refused('cannot be read'));
    }
  });
}

test('CertificateSubjectRestriction: it does not matter how the characters are stored', async () => {
  const bmp = Buffer.from('system:masters', 'utf16le').swap16();
  const universal = Buffer.concat([...'system:masters'].map((character) => Buffer.from([0, 0, 0, character.charCodeAt(0)])));
  const texts: readonly (readonly [tag: number, bytes: Buffer])[] = [[0x0c, Buffer.from('system:masters')], [0x13, Buffer.from('system:masters')], [0x16, Buffer.from('system:masters')], [0x1e, bmp], [0x1c, universal]];
  for (const [tag, bytes] of texts) {
    const der = element(0x30, element(0x30, element(0x02, Buffer.of(0)), element(0x30, element(0x31, element(0x30, Buffer.of(6, 3, 0x55, 4, 10), element(tag, bytes))))));
    const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
    const object = csr({ signerName: 'orch.io/apiserver-client', request: Buffer.from(pem).toString('base64') });
    await assert.rejects(admit(certificateSubjectRestriction, object, { namespace: '' }), refused('with system:masters group is not allowed'));
  }
});

test('CertificateSubjectRestriction: a subject in which readers find different things is not read', async () => {
  for (const type of [[0x55, 4, 0x80, 10], [0x80, 0x55, 4, 10]]) {
    const attribute = element(0x30, element(0x06, Buffer.from(type)), element(0x0c, Buffer.from('system:masters')));
    const der = element(0x30, element(0x30, element(0x02, Buffer.of(0)), element(0x30, element(0x31, attribute))));
    const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
    const object = csr({ signerName: 'orch.io/apiserver-client', request: Buffer.from(pem).toString('base64') });
    await assert.rejects(admit(certificateSubjectRestriction, object, { namespace: '' }), refused('cannot be read'));
  }
});

test('CertificateSubjectRestriction: of several requests in one text it judges the one that is signed', async () => {
  const pemOf = (subject: string): string => Buffer.from(requestFor(subject), 'base64').toString();
  const [asked, shown] = [pemOf('/O=system:masters/CN=x'), pemOf('/O=dev/CN=x')];
  const texts = [asked + shown, asked.replace('-----\n', '-----\nKind: another\n\n') + shown, `# ${shown}\n${asked}`];
  for (const text of texts) {
    const request = Buffer.from(text).toString('base64');
    assert.deepEqual(requestBytes(request), requestBytes(Buffer.from(asked).toString('base64')));
    const object = csr({ signerName: 'orch.io/apiserver-client', request });
    await assert.rejects(admit(certificateSubjectRestriction, object, { namespace: '' }), refused('with system:masters group is not allowed'), text);
  }
});

function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length = content.length < 0x80 ? [content.length] : [0x81, content.length];
  return Buffer.concat([Buffer.of(tag, ...length), content]);
}
