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

/** The attribute organizationName with a text of some type. */
const organization = (tag: number, text: Buffer): Buffer => element(0x30, Buffer.of(6, 3, 0x55, 4, 10), element(tag, text));
const MASTERS = organization(0x0c, Buffer.from('system:masters'));
/** What is signed of a request, as far as the subject goes, with these attributes. */
const requestWith = (...attributes: readonly Buffer[]): Buffer => element(0x30, element(0x30, element(0x02, Buffer.of(0)), element(0x30, ...attributes.map((one) => element(0x31, one)))));

function createFrom(der: Buffer): Promise<ApiObject> {
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
  return admit(certificateSubjectRestriction, csr({ signerName: 'orch.io/apiserver-client', request: Buffer.from(pem).toString('base64') }), { namespace: '' });
}

test('CertificateSubjectRestriction: it does not matter how the characters are stored', async () => {
  const bmp = Buffer.from('system:masters', 'utf16le').swap16();
  const universal = Buffer.concat([...'system:masters'].map((character) => Buffer.from([0, 0, 0, character.charCodeAt(0)])));
  const plain = Buffer.from('system:masters');
  const texts: readonly (readonly [tag: number, bytes: Buffer])[] = [[0x0c, plain], [0x13, plain], [0x14, plain], [0x16, plain], [0x1e, bmp], [0x1c, universal]];
  for (const [tag, bytes] of texts) await assert.rejects(createFrom(requestWith(organization(tag, bytes))), refused('with system:masters group is not allowed'));
});

test('CertificateSubjectRestriction: it does not matter how much stands before', async () => {
  for (const length of [0, 100, 127, 128, 200, 255, 256, 700, 65_535, 65_536, 100_000]) {
    const before = organization(0x0c, Buffer.alloc(length, 'x'));
    await createFrom(requestWith(before));
    await assert.rejects(createFrom(requestWith(before, MASTERS)), refused('with system:masters group is not allowed'), `${length}`);
  }
});

test('CertificateSubjectRestriction: a subject in which readers find different things is not read', async () => {
  const typed = (...type: number[]): Buffer => element(0x30, element(0x06, Buffer.from(type)), element(0x0c, Buffer.from('system:masters')));
  const other = organization(0x0c, Buffer.from('dev'));
  const beyond = organization(0x1c, Buffer.of(0, 0x11, 0, 0));
  const endless = Buffer.concat([Buffer.of(0x30, 0x80), other.subarray(2), Buffer.of(0, 0)]);
  const lengthy = Buffer.concat([Buffer.of(0x30, 0x85, 0, 0, 0, 0, other.length - 2), other.subarray(2)]);
  for (const attribute of [typed(0x55, 4, 0x80, 10), typed(0x80, 0x55, 4, 10), beyond, endless, lengthy]) await assert.rejects(createFrom(requestWith(attribute)), refused('cannot be read'));
  // What stands in the places of what was expected, or nothing does.
  const forms = [element(0x30), element(0x30, element(0x30)), element(0x31, element(0x30, element(0x02), element(0x30))), element(0x30, element(0x31, element(0x02), element(0x30))), element(0x30, element(0x30, element(0x02), element(0x31)))];
  for (const form of [...forms, requestWith(element(0x31, MASTERS.subarray(2))), requestWith(element(0x30))]) await assert.rejects(createFrom(form), refused('cannot be read'), form.toString('hex'));
  const whole = requestWith(other, MASTERS);
  for (let length = 0; length < whole.length; length++) await assert.rejects(createFrom(whole.subarray(0, length)), refused('cannot be read'), `${length}`);
  // Cut inside of what encloses it, whose own length is right.
  for (let length = 1; length < MASTERS.length; length++) await assert.rejects(createFrom(requestWith(MASTERS.subarray(0, length))), refused('cannot be read'), `${length}`);
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
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content]);
}

/** In as few bytes as can be. */
function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.of(0x80 + bytes.length), bytes]);
}
