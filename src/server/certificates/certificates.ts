import { createHash, createPrivateKey, generateKeyPairSync, sign, X509Certificate, type KeyObject } from 'node:crypto';
import { hostname } from 'node:os';
import { parseIp } from '#api';
import { isInItsTime, newSerial } from '#base';
import { machineAddresses } from '../machine-addresses.ts';
import { bitString, contentOf, integer, octets, oid, partsOf, sequence, set, tagged, time, utf8, yes } from './der.ts';

/** A certificate and its key, as PEM texts. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 24 * 3600 * 1000;
const CA_DAYS = 3650;
const SERVING_DAYS = 365;
/** A certificate this close to its end is replaced, at start and while it is served. */
const RENEW_DAYS = 30;

const SERVING_NAME = 'orch-apiserver';
const COMMON_NAME = '2.5.4.3';
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const SIGNATURES: Readonly<Record<string, Buffer>> = {
  ec: sequence(oid('1.2.840.10045.4.3.2')),
  rsa: sequence(oid('1.2.840.113549.1.1.11'), Buffer.of(0x05, 0x00)),
};
/** Extensions of RFC 5280, section 4.2.1. */
const EXTENSION = {
  subjectKey: '2.5.29.14',
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKey: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const;
/** The key usages keyCertSign, cRLSign and digitalSignature: the first bit is the first usage, followed by the number of unused bits. */
const SIGNS_CERTIFICATES = bitString(Buffer.of(0b1000_0110), 1);
const SERVES = bitString(Buffer.of(0b1010_0000), 5);

/** A new certificate authority for one server. */
export function createAuthority(nowMs: number): CertificatePair {
  const keys = newKeys();
  const name = nameOf(`orch-ca@${Math.floor(nowMs / 1000)}`);
  const publicKey = keys.publicKey.export({ type: 'spki', format: 'der' });
  const extensions = [
    extension(EXTENSION.basicConstraints, sequence(yes), yes),
    extension(EXTENSION.keyUsage, SIGNS_CERTIFICATES, yes),
    extension(EXTENSION.subjectKey, octets(keyId(publicKey))),
  ];
  const cert = signed({ issuer: name, signer: keys.privateKey, subject: name, publicKey, nowMs, days: CA_DAYS, extensions });
  return { cert, key: keyText(keys.privateKey) };
}

/** A serving certificate for these names and addresses. */
export function createServingCertificate(authority: CertificatePair, names: readonly string[], nowMs: number): CertificatePair {
  const keys = newKeys();
  const issuer = subjectOf(authority.cert);
  const extensions = [
    extension(EXTENSION.basicConstraints, sequence(), yes),
    extension(EXTENSION.keyUsage, SERVES, yes),
    extension(EXTENSION.extendedKeyUsage, sequence(oid(SERVER_AUTH))),
    extension(EXTENSION.authorityKey, sequence(tagged(0x80, keyId(issuer.publicKey)))),
    extension(EXTENSION.alternativeNames, sequence(...[...new Set(names)].map(alternativeName))),
  ];
  const publicKey = keys.publicKey.export({ type: 'spki', format: 'der' });
  const signer = createPrivateKey(authority.key);
  const cert = signed({ issuer: issuer.name, signer, subject: nameOf(SERVING_NAME), publicKey, nowMs, days: SERVING_DAYS, extensions });
  return { cert, key: keyText(keys.privateKey) };
}

/**
 * Whether a serving certificate can be read, matches its key and its authority, is for all of `names`, and is valid, for a while yet. One that was made
 * while the clock was ahead is not valid once it is right.
 */
export function isServingCertificateGood(authority: CertificatePair, serving: CertificatePair, names: readonly string[], nowMs: number): boolean {
  const [cert, key] = [readable(() => new X509Certificate(serving.cert)), readable(() => createPrivateKey(serving.key))];
  if (cert === undefined || key === undefined || !cert.checkPrivateKey(key)) return false;
  const isOfNames = names.every((name) => cert.raw.includes(alternativeName(name)));
  return isOfNames && cert.verify(new X509Certificate(authority.cert).publicKey) && isInItsTime(cert, nowMs) && isInItsTime(cert, nowMs + RENEW_DAYS * DAY_MS);
}

/** Whether a certificate is one that `createServingCertificate` made, and no other that the authority signed. */
export function isGenerated(cert: string, authority: CertificatePair): boolean {
  const read = readable(() => new X509Certificate(cert));
  return read?.subject === `CN=${SERVING_NAME}` && read.verify(new X509Certificate(authority.cert).publicKey);
}

/** What `read` makes of a text; undefined: it throws, as the text holds no such thing. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The names and addresses of this machine by which others reach it: one of a link needs a zone that no certificate has. */
export function namesOfMachine(): readonly string[] {
  const own = machineAddresses().map(({ address }) => address);
  return ['localhost', hostname(), '127.0.0.1', '::1', ...own.filter((address) => !/^fe[89ab]/i.test(address))];
}

/** The content of a certificate; names and keys are DER. */
interface Content {
  readonly issuer: Buffer;
  readonly signer: KeyObject;
  readonly subject: Buffer;
  readonly publicKey: Buffer;
  readonly nowMs: number;
  readonly days: number;
  readonly extensions: readonly Buffer[];
}

/** Signs an X.509 v3 certificate; returns PEM. */
function signed({ issuer, signer, subject, publicKey, nowMs, days, extensions }: Content): string {
  const algorithm = SIGNATURES[signer.asymmetricKeyType ?? ''];
  if (algorithm === undefined) throw new Error(`the key of the certificate authority is neither EC nor RSA but ${signer.asymmetricKeyType}`);
  const validity = sequence(time(nowMs - DAY_MS), time(nowMs + days * DAY_MS));
  const version = tagged(0xa0, integer(Buffer.of(2)));
  const content = sequence(version, integer(newSerial()), algorithm, issuer, validity, subject, publicKey, tagged(0xa3, sequence(...extensions)));
  const certificate = sequence(content, algorithm, bitString(sign('sha256', content, signer)));
  return new X509Certificate(certificate).toString();
}

const nameOf = (commonName: string): Buffer => sequence(set(sequence(oid(COMMON_NAME), utf8(commonName))));
const extension = (id: string, value: Buffer, ...critical: readonly Buffer[]): Buffer => sequence(oid(id), ...critical, octets(value));

/** The subject and public key of a certificate, byte for byte as issued certificates must contain them. */
function subjectOf(cert: string): { readonly name: Buffer; readonly publicKey: Buffer } {
  const { raw, publicKey } = new X509Certificate(cert);
  // Version, serial number, algorithm, issuer, validity, subject.
  const name = partsOf(partsOf(raw)[0]!)[5]!;
  return { name, publicKey: publicKey.export({ type: 'spki', format: 'der' }) };
}

/** The first method of RFC 5280, section 4.2.1.2: of the bits of the key alone. */
const keyId = (publicKey: Buffer): Buffer => createHash('sha1').update(contentOf(partsOf(publicKey)[1]!).subarray(1)).digest();

const newKeys = (): { publicKey: KeyObject; privateKey: KeyObject } => generateKeyPairSync('ec', { namedCurve: 'P-256' });

const keyText = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

const DNS_NAME = 0x82;
const ADDRESS = 0x87;

function alternativeName(name: string): Buffer {
  const ip = parseIp(name);
  return ip === undefined ? tagged(DNS_NAME, Buffer.from(name)) : tagged(ADDRESS, Buffer.from(ip));
}
