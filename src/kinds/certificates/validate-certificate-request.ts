import { checkDnsLabel, checkDnsSubdomain, decodeBase64Text, report, type Faults, type HookContext } from '#api';
import { isLongerThan } from '#base';
import { FieldErrors, goQuoted, GoValue } from '#errors';
import type { Condition, Spec, Status } from './certificate-request-messages.ts';
import { countCertificates, pemBlocks, readSignedRequest, requestBytes } from './pem.ts';
import { repeatsIn } from '../repeats.ts';

const MIN_EXPIRATION_SECONDS = 600;
const MAX_SIGNER_LENGTH = 571;
const MAX_DOMAIN_LENGTH = 253;
/** Base64 digits of a request that a fault shows, in whole groups of four. */
const SHOWN_BASE64 = 256;

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

/** Validates the spec. `isStored`: it was accepted before, perhaps through v1beta1, which took any usages and the signer of old. */
export function validateSpec(spec: Spec, isStored: boolean, at: FieldErrors, { brand, verifySignature }: HookContext): void {
  validateRequest(spec.request, at.child('request'), verifySignature);
  validateUsages(spec.usages ?? [], isStored, at.child('usages'));
  const { signerName, expirationSeconds } = spec;
  const place = at.child('signerName');
  if (signerName === brand.names.legacySigner && !isStored) place.invalid(signerName, 'the legacy signerName is not allowed via this API version');
  else validateSignerName(signerName, place);
  if (expirationSeconds !== undefined && expirationSeconds < MIN_EXPIRATION_SECONDS) {
    at.child('expirationSeconds').invalid(expirationSeconds, `may not specify a duration less than ${MIN_EXPIRATION_SECONDS} seconds (10 minutes)`);
  }
}

/** The bytes of an invalid request as Go prints them, truncated. */
function goBytes(base64: string | null): GoValue {
  if (!base64) return new GoValue(base64 === null ? '[]byte(nil)' : '[]byte{}');
  const start = [...atob(base64.slice(0, SHOWN_BASE64))].map((byte) => `0x${byte.charCodeAt(0).toString(16)}`);
  return new GoValue(`[]byte{${start.join(', ')}}`);
}

/** Validates the request and its signature, which proves possession of the private key. */
function validateRequest(base64: string | null, at: FieldErrors, verifySignature: HookContext['verifySignature']): void {
  const bytes = requestBytes(base64 ?? '');
  if (bytes === undefined) {
    at.invalid(goBytes(base64), 'PEM block type must be CERTIFICATE REQUEST');
    return;
  }
  const signed = readSignedRequest(bytes);
  if (signed === undefined) at.invalid(goBytes(base64), 'must hold a certificate request as PKCS #10 describes it');
  else if (verifySignature?.(signed) === false) at.invalid(goBytes(base64), 'must be signed with the key that it is about, by an algorithm that is safe');
}

function validateUsages(usages: readonly string[], isStored: boolean, at: FieldErrors): void {
  if (usages.length === 0) at.required('usages must be provided');
  if (isStored) return;
  for (const [position, usage] of usages.entries()) if (!USAGES.includes(usage)) at.index(position).notSupported(usage, USAGES);
  for (const position of repeatsIn(usages)) at.index(position).duplicate(usages[position]);
}

/** Validates `domain/path`: both are labels joined by dots, the domain at least two. */
function validateSignerName(name: string, at: FieldErrors): void {
  if (name === '') {
    at.required('signerName must be provided');
    return;
  }
  const [domain = '', path = '', ...more] = name.split('/');
  if (!name.includes('/') || more.length > 0) {
    at.invalid(name, `must be a fully qualified domain and path of the form 'example.com/signer-name'`);
    return;
  }
  validateSignerDomain(domain, at);
  validateLabels(path, checkDnsSubdomain, at);
  if (isLongerThan(name, MAX_SIGNER_LENGTH)) at.tooLong(name, MAX_SIGNER_LENGTH);
}

function validateSignerDomain(domain: string, at: FieldErrors): void {
  if (isLongerThan(domain, MAX_DOMAIN_LENGTH)) at.tooLong(domain, MAX_DOMAIN_LENGTH);
  validateLabels(domain, checkDnsLabel, at);
  if (!domain.includes('.')) at.invalid(domain, 'should be a domain with at least two segments separated by dots');
}

/** Reports only the first faulty label, as in kube-apiserver. */
function validateLabels(text: string, check: (label: string) => Faults, at: FieldErrors): void {
  const faulty = text.split('.').find((label) => check(label) !== undefined);
  if (faulty !== undefined) report(at, text, check(faulty)?.map((why) => `validating label ${goQuoted(faulty)}: ${why}`));
}

/** Condition types that are decisions about a request. */
export const DECISIONS: readonly string[] = ['Approved', 'Denied'];
const FINAL = [...DECISIONS, 'Failed'];

/** Validates the status. Faults that the stored one has already are left to it: v1beta1 took more than v1 does. */
export function validateStatus({ conditions, certificate }: Status, live: Status | undefined, at: FieldErrors): void {
  validateConditions(conditions ?? [], leaveOf(live?.conditions ?? []), at.child('conditions'));
  if (certificate && !hasFault(live?.certificate)) validateCertificate(certificate, at.child('certificate'));
}

/** Faults of conditions that a request may keep. */
interface Leave {
  readonly bothDecisions: boolean;
  readonly noType: boolean;
  readonly repeatedTypes: boolean;
}

function leaveOf(conditions: readonly Condition[]): Leave {
  const types = conditions.map(({ type }) => type);
  return { bothDecisions: DECISIONS.every((type) => types.includes(type)), noType: types.includes(''), repeatedTypes: new Set(types).size < types.length };
}

function hasFault(certificate: string | null | undefined): boolean {
  const at = new FieldErrors();
  if (certificate) validateCertificate(certificate, at);
  return !at.isEmpty;
}

function validateConditions(conditions: readonly Condition[], leave: Leave, at: FieldErrors): void {
  const types = new Set<string>();
  for (const [position, { type, status }] of conditions.entries()) {
    const place = at.index(position);
    if (type === '' && !leave.noType) place.child('type').required();
    const allowed = FINAL.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    if (status === '') place.child('status').required();
    else if (!allowed.includes(status)) place.child('status').notSupported(status, allowed);
    if (!leave.bothDecisions && DECISIONS.includes(type) && DECISIONS.some((one) => one !== type && types.has(one))) {
      place.child('type').invalid(type, 'Approved and Denied conditions are mutually exclusive');
    }
    if (types.has(type) && !leave.repeatedTypes) place.child('type').duplicate(type);
    types.add(type);
  }
}

function validateCertificate(base64: string, at: FieldErrors): void {
  const blocks = pemBlocks(decodeBase64Text(base64));
  const shown = '<certificate data>';
  if (blocks.length === 0) at.invalid(shown, 'must contain at least one CERTIFICATE PEM block');
  for (const { label, hasHeaders, bytes } of blocks) {
    if (label !== 'CERTIFICATE') at.invalid(shown, `only CERTIFICATE PEM blocks are allowed, found ${goQuoted(label)}`);
    else if (hasHeaders) at.invalid(shown, 'no PEM block headers are permitted');
    else {
      const count = countCertificates(bytes);
      if (count === undefined) at.invalid(shown, 'x509: malformed certificate');
      else if (count === 0) at.invalid(shown, 'found CERTIFICATE PEM block containing 0 certificates');
      else continue;
    }
    return;
  }
}

/**
 * Validates a status update: decisions come through `approval` and certificates through `status`; neither can be removed. Other than through `approval`,
 * decisions differ from the stored ones in number only.
 */
export function validateStatusChange(next: Status, live: Status, subresource: string, at: FieldErrors): void {
  const place = at.child('conditions');
  const ofType = ({ conditions }: Status, type: string): readonly Condition[] => (conditions ?? []).filter((one) => one.type === type);
  for (const type of FINAL) {
    if (ofType(next, type).length < ofType(live, type).length) place.forbidden(`updates may not remove a condition of type ${goQuoted(type)}`);
  }
  for (const type of subresource === 'approval' ? [] : DECISIONS) {
    if (ofType(next, type).length > ofType(live, type).length) place.forbidden(`updates may not add a condition of type ${goQuoted(type)}`);
  }
  if ((next.certificate ?? '') === (live.certificate ?? '')) return;
  if (subresource !== 'status') at.child('certificate').forbidden('updates may not set certificate content');
  else if (live.certificate) at.child('certificate').forbidden('updates may not modify existing certificate content');
}
