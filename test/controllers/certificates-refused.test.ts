import 'reflect-metadata';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as x509 from '@peculiar/x509';
import { CLIENT_USAGES, element, inPem, newRequester, node, person, requestInBytes, SERVER_USAGES, type Asked, type Requester, type Subject } from '../support/certificate-requests.ts';
import { Cluster, DIALECTS } from './cluster.ts';

type Signer = 'clientSigner' | 'nodeClientSigner' | 'nodeServingSigner';

interface Bad {
  readonly signer?: Signer;
  readonly asked?: Asked;
  readonly usages?: readonly string[];
  /** The rest of the spec. */
  readonly spec?: object;
  /** In place of the request. */
  readonly request?: (der: Uint8Array, requester: Requester) => string | Promise<string>;
}

const DNS = { type: 'dns', value: 'n.example.com' } as const;
const OTHERS = [
  { type: 'email', value: 'a@example.com' },
  { type: 'url', value: 'spiffe://example.com/a' },
] as const;
const of = (...parts: readonly Subject[]): Asked => ({ subject: parts.flat() });
const org = (name: unknown): Subject => [{ O: [name] }] as Subject;
const name = (text: unknown): Subject => [{ CN: [text] }] as Subject;
const NODES = 'system:nodes';
const NODE = 'system:node:n';
const without = (usages: readonly string[], usage: string): readonly string[] => usages.filter((one) => one !== usage);

const flipped = (der: Uint8Array, at: number): string => {
  const copy = Uint8Array.from(der);
  copy[copy.length + at] = (copy.at(at) ?? 0) ^ 1;
  return inPem(copy);
};

/** A structure of the right outline, with nothing sensible in it. */
const HOLLOW = Uint8Array.from([0x30, 0x08, 0x30, 0x00, 0x30, 0x00, 0x03, 0x02, 0x00, 0x00]);

/** What the API itself refuses: the field that is wrong. */
const UNTAKEN: readonly (readonly [title: string, bad: Bad, field: string])[] = [
  ['nothing', { request: () => '' }, 'spec.request'],
  ['no PEM', { request: () => Buffer.from('hello').toString('base64') }, 'spec.request'],
  ['another label', { request: (der) => inPem(der, 'CERTIFICATE') }, 'spec.request'],
  ['half a request', { request: (der) => inPem(der.subarray(0, 100)) }, 'spec.request'],
  ['a request and more', { request: (der) => inPem(Buffer.concat([der, Buffer.alloc(1)])) }, 'spec.request'],
  ['zeros', { request: () => inPem(Buffer.alloc(300)) }, 'spec.request'],
  ['a hollow request', { request: () => inPem(HOLLOW) }, 'spec.request'],
  ['a changed signature', { request: (der) => flipped(der, -1) }, 'spec.request'],
  ['a changed subject', { request: (der) => inPem(Buffer.from(Buffer.from(der).toString('latin1').replace('jane', 'jean'), 'latin1')) }, 'spec.request'],
  ["somebody else's key", { request: stolen }, 'spec.request'],
  ['no usages', { usages: [] }, 'spec.usages'],
  ['an unknown usage', { usages: ['client auth', 'fun'] }, 'spec.usages[1]'],
  ['a usage twice', { usages: ['client auth', 'client auth'] }, 'spec.usages[1]'],
  ['a usage in capitals', { usages: ['Client Auth'] }, 'spec.usages[0]'],
  ['no signer', { spec: { signerName: '' } }, 'spec.signerName'],
  ['a signer without path', { spec: { signerName: 'example.com' } }, 'spec.signerName'],
  ['a signer with two', { spec: { signerName: 'example.com/a/b' } }, 'spec.signerName'],
  ['a signer without dot', { spec: { signerName: 'example/a' } }, 'spec.signerName'],
  ['a life of 599 seconds', { spec: { expirationSeconds: 599 } }, 'spec.expirationSeconds'],
  ['a life of no time', { spec: { expirationSeconds: 0 } }, 'spec.expirationSeconds'],
  ['a life before its start', { spec: { expirationSeconds: -600 } }, 'spec.expirationSeconds'],
];

const SUBJECTS: readonly (readonly [title: string, subject: Asked, reason: RegExp])[] = [
  ['nobody', of(), /organization/],
  ['no organization', of(name(NODE)), /organization/],
  ['another organization', of(org('dev'), name(NODE)), /organization/],
  ['one organization more', of(org(NODES), org('dev'), name(NODE)), /organization/],
  ['the powerful organization beside', of(org('system:masters'), org(NODES), name(NODE)), /organization/],
  ['the organization twice', of(org(NODES), org(NODES), name(NODE)), /organization/],
  ['two organizations in one part', of([{ O: [NODES, 'dev'] }], name(NODE)), /organization/],
  ['the organization in capitals', of(org('System:Nodes'), name(NODE)), /organization/],
  ['a space behind the organization', of(org({ utf8String: 'system:nodes ' }), name(NODE)), /organization/],
  ['the organization as unit', of([{ OU: [NODES] }], name(NODE)), /organization/],
  ['no name', of(org(NODES)), /common name/],
  ['the name of a person', of(org(NODES), name('jane')), /common name/],
  ['almost a node', of(org(NODES), name('system:nodes:n')), /common name/],
  ['a node in capitals', of(org(NODES), name('SYSTEM:node:n')), /common name/],
  ['a node and then somebody else', of(org(NODES), name(NODE), name('admin')), /common name/],
  ['a line break in the name', of(org(NODES), name({ utf8String: `${NODE}\nO=system:masters` })), /cannot be shown/],
  ['a zero in the name', of(org(NODES), name({ utf8String: `${NODE}\0x` })), /cannot be shown/],
];

const NODE_USAGES: readonly (readonly [title: string, change: (usages: readonly string[]) => readonly string[]])[] = [
  ['without digital signature', (usages) => without(usages, 'digital signature')],
  ['without key encipherment', (usages) => without(usages, 'key encipherment')],
  ['without the purpose', (usages) => usages.slice(0, 2)],
  ['with a usage more', (usages) => [...usages, 'code signing']],
  ['with any', (usages) => [...usages, 'any']],
  ['that signs others', (usages) => [...usages, 'cert sign']],
];

type Unsigned = readonly [title: string, bad: Bad, reason: RegExp];

const forNodes = (signer: Signer, more: Asked, usages: readonly string[]): readonly Unsigned[] => [
  ...SUBJECTS.map(([title, asked, reason]) => [`${signer}: ${title}`, { signer, asked: { ...more, ...asked }, usages }, reason] satisfies Unsigned),
  ...NODE_USAGES.map(([title, change]) => [`${signer}: ${title}`, { signer, asked: { ...more, subject: node('n') }, usages: change(usages) }, /usages must be exactly/] satisfies Unsigned),
  ...OTHERS.map((other) => [`${signer}: a name of type ${other.type}`, { signer, asked: { subject: node('n'), names: [DNS, other] }, usages }, /subjectAltNames of type/] satisfies Unsigned),
];

/** The subject of a node, where the type of the organization begins a number with an empty digit: readers differ on what it is. */
const ODD_NODE = element(
  0x30,
  ...[[Buffer.of(0x55, 4, 0x80, 10), NODES] as const, [Buffer.of(0x55, 4, 3), NODE] as const].map(([type, text]) =>
    element(0x31, element(0x30, element(0x06, type), element(0x0c, Buffer.from(text)))),
  ),
);

/** The subject of a person, whose name is written as something else than the texts of other names. */
const personInType = (tag: number, bytes: Uint8Array): Buffer => element(0x30, element(0x31, element(0x30, element(0x06, Buffer.of(0x55, 4, 3)), element(tag, bytes))));

const ODD_TEXTS: readonly (readonly [title: string, subject: Buffer])[] = [
  ['digits', personInType(0x12, Buffer.from('12345'))],
  ['visible signs', personInType(0x1a, Buffer.from('jane'))],
  ['bytes', personInType(0x04, Buffer.from('jane'))],
  ['signs of two units', personInType(0x1e, Buffer.of(0xd8, 0x3d, 0xde, 0x00))],
];

/** What the signer refuses after somebody has approved it. */
const UNSIGNED: readonly Unsigned[] = [
  ...forNodes('nodeClientSigner', {}, CLIENT_USAGES),
  ['nodeClientSigner: a DNS name', { signer: 'nodeClientSigner', asked: { subject: node('n'), names: [DNS] }, usages: CLIENT_USAGES }, /type dns are not/],
  ['nodeClientSigner: an address', { signer: 'nodeClientSigner', asked: { subject: node('n'), names: [{ type: 'ip', value: '192.0.2.1' }] }, usages: CLIENT_USAGES }, /type ip are not/],
  ['nodeClientSigner: for a server', { signer: 'nodeClientSigner', asked: { subject: node('n') }, usages: SERVER_USAGES }, /usages must be exactly/],
  ...forNodes('nodeServingSigner', { names: [DNS] }, SERVER_USAGES),
  ['nodeServingSigner: no name', { signer: 'nodeServingSigner', asked: { subject: node('n') }, usages: SERVER_USAGES }, /there must be a subjectAltName/],
  ['nodeServingSigner: both purposes', { signer: 'nodeServingSigner', asked: { subject: node('n'), names: [DNS] }, usages: [...SERVER_USAGES, 'client auth'] }, /usages must be exactly/],
  ['clientSigner: for a server', { usages: SERVER_USAGES }, /server auth is not allowed/],
  ['clientSigner: for both', { usages: ['client auth', 'server auth'] }, /server auth is not allowed/],
  ['clientSigner: for anything', { usages: ['client auth', 'any'] }, /any is not allowed/],
  ['clientSigner: that signs others', { usages: ['client auth', 'cert sign'] }, /cert sign is not allowed/],
  ['clientSigner: that signs lists', { usages: ['client auth', 'crl sign'] }, /crl sign is not allowed/],
  ['clientSigner: no purpose', { usages: ['digital signature', 'key encipherment'] }, /client auth must be/],
  ['clientSigner: another text for a usage', { usages: ['client auth', 'signing'] }, /signing is not allowed/],
  ['a line break among the groups', { asked: of(org({ utf8String: 'dev\nsystem:masters' }), name('jane')) }, /cannot be shown/],
  ['an organization that not everybody takes for one', { signer: 'nodeClientSigner', usages: CLIENT_USAGES, request: (_der, { key }) => requestInBytes(ODD_NODE, key) }, /one way/],
  ...ODD_TEXTS.map(([title, subject]) => [`a name of ${title} alone`, { request: (_der, { key }) => requestInBytes(subject, key) }, /encoding/] satisfies Unsigned),
  ['an empty DNS name', { asked: { subject: person('jane'), names: [{ type: 'dns', value: '' }] } }, /empty/],
  ['a name beyond ASCII', { asked: { subject: person('jane'), names: [{ type: 'dns', value: 'b\u00fccher.example' }] } }, /ASCII/],
  ['two lists of names', { asked: { subject: person('jane'), names: [DNS], extensions: [new x509.SubjectAlternativeNameExtension([DNS])] } }, /two lists/],
];

/** The content of one request with the key of another author. */
async function stolen(der: Uint8Array): Promise<string> {
  const other = await (await newRequester()).make({ subject: person('jane') });
  const copy = Buffer.from(other.der);
  const [signature, own] = [Buffer.from(der).subarray(-64), copy.subarray(-64)];
  signature.copy(own);
  return inPem(copy);
}

for (const dialect of DIALECTS) {
  describe(`certificate requests that are refused (${dialect})`, () => {
    test('R2.12-05 R2.12-06 the API takes no request that cannot be meant, and says which field is wrong', async () => {
      const cluster = await Cluster.start({ dialect, controllers: 'none' });
      const requester = await newRequester();
      for (const [title, bad, field] of UNTAKEN) {
        const { status, body } = await cluster.server.request('POST', cluster.path('certificates:certificatesigningrequests'), await objectOf(cluster, requester, 'bad', bad));
        assert.equal(status, 422, title);
        assert.ok(body.details.causes.some((cause: { readonly field: string }) => cause.field === field), `${title}: ${JSON.stringify(body.details.causes)}`);
      }
      await cluster.server.close();
    });

    test('R2.12-22 R2.12-23 R2.12-27 R2.12-28 R2.12-29 R2.12-30 R2.12-33 R2.12-34 R2.12-37 R2.12-38 what is approved and cannot be signed says why', async () => {
      const cluster = await Cluster.start({ dialect, controllers: 'csrsigning' });
      const requester = await newRequester();
      for (const [at, [title, bad]] of UNSIGNED.entries()) {
        const { status, body } = await cluster.server.request('POST', cluster.path('certificates:certificatesigningrequests'), await objectOf(cluster, requester, `r${at}`, bad));
        assert.equal(status, 201, `${title}: ${JSON.stringify(body)}`);
        const approved = { type: 'Approved', status: 'True', reason: 'Test', message: '' };
        await cluster.ask('PUT', `${cluster.path('certificates:certificatesigningrequests', `r${at}`)}/approval`, { ...body, status: { conditions: [approved] } });
      }
      for (const [at, [title, , reason]] of UNSIGNED.entries()) {
        const done = (one: { readonly status: { readonly conditions: readonly object[]; readonly certificate?: string } }): boolean =>
          one.status.conditions.length > 1 || one.status.certificate !== undefined;
        const { status } = await cluster.until('certificates:certificatesigningrequests', `r${at}`, done);
        assert.equal(status.certificate, undefined, `${title} was signed`);
        const { type, reason: word, message } = status.conditions[1];
        assert.deepEqual([type, word], ['Failed', 'SignerValidationFailure'], title);
        assert.match(message, reason, title);
      }
      await cluster.server.close();
    });
  });
}

test('the tables hold the sixty requests and more', () => assert.ok(UNTAKEN.length + UNSIGNED.length >= 60, `${UNTAKEN.length + UNSIGNED.length}`));

async function objectOf({ brand }: Cluster, requester: Requester, name: string, bad: Bad): Promise<object> {
  const { signer = 'clientSigner', asked = { subject: person('jane') }, usages = ['client auth'], spec = {}, request } = bad;
  const made = await requester.make(asked);
  const text = request === undefined ? made.base64 : await request(made.der, requester);
  return { metadata: { name }, spec: { signerName: brand.names[signer], usages, request: text, ...spec } };
}
