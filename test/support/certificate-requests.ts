// Requests for certificates, as their authors make them; bad ones, too.
import 'reflect-metadata';
import { createPublicKey, generateKeyPairSync, sign, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** Texts as they are to be encoded, or as text. */
export type Subject = x509.JsonNameParams;
export type Names = x509.JsonGeneralNames;

export interface Asked {
  readonly subject?: Subject;
  readonly names?: Names;
  readonly extensions?: readonly x509.Extension[];
}

export interface MadeRequest {
  /** As `spec.request` has it: PEM in base64. */
  readonly base64: string;
  readonly der: Uint8Array;
}

export interface Requester {
  /** PEM. */
  readonly key: string;
  make(asked: Asked): Promise<MadeRequest>;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;

/** Somebody with a key of their own. */
export async function newRequester(type: 'ec' | 'rsa' = 'ec'): Promise<Requester> {
  const pair = type === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('rsa', { modulusLength: 2048 });
  const algorithm = type === 'ec' ? ALGORITHM : RSA;
  const { subtle } = webcrypto;
  const keys = {
    publicKey: await subtle.importKey('spki', pair.publicKey.export({ type: 'spki', format: 'der' }), algorithm, true, ['verify']),
    privateKey: await subtle.importKey('pkcs8', pair.privateKey.export({ type: 'pkcs8', format: 'der' }), algorithm, true, ['sign']),
  };
  return {
    key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    async make({ subject = [], names = [], extensions = [] }) {
      const all = [...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]), ...extensions];
      const request = await x509.Pkcs10CertificateRequestGenerator.create({ name: subject as x509.JsonName, keys, signingAlgorithm: algorithm, extensions: all }, webcrypto);
      const der = new Uint8Array(request.rawData);
      return { der, base64: inPem(der) };
    },
  };
}

/** DER as `spec.request` has it. */
export function inPem(der: Uint8Array, label = 'CERTIFICATE REQUEST'): string {
  const lines = Buffer.from(der).toString('base64').replace(/.{64}/g, '$&\n');
  return Buffer.from(`-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`).toString('base64');
}

/** A request for the subject in these bytes, whatever they are, as `spec.request` has it. `key`: PEM, on P-256. */
export function requestInBytes(subject: Uint8Array, key: string): string {
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const content = element(SEQUENCE, element(0x02, Buffer.of(0)), subject, publicKey, element(0xa0));
  const algorithm = element(SEQUENCE, element(0x06, ECDSA_WITH_SHA_256));
  return inPem(element(SEQUENCE, content, algorithm, element(0x03, Buffer.of(0), sign('sha256', content, key))));
}

const SEQUENCE = 0x30;
const ECDSA_WITH_SHA_256 = Buffer.from('2a8648ce3d040302', 'hex');

/** One element of DER. */
export function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const length = content.length < 0x80 ? [content.length] : content.length < 0x100 ? [0x81, content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...length), content]);
}

export const node = (name: string): Subject => [{ O: ['system:nodes'] }, { CN: [`system:node:${name}`] }];
export const person = (name: string, ...groups: readonly string[]): Subject => [...groups.map((group) => ({ O: [group] })), { CN: [name] }];

export const CLIENT_USAGES = ['key encipherment', 'digital signature', 'client auth'];
export const SERVER_USAGES = ['key encipherment', 'digital signature', 'server auth'];
