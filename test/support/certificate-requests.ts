// Requests for certificates, as their authors make them; bad ones, too.
import 'reflect-metadata';
import { generateKeyPairSync, webcrypto } from 'node:crypto';
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

export const node = (name: string): Subject => [{ O: ['system:nodes'] }, { CN: [`system:node:${name}`] }];
export const person = (name: string, ...groups: readonly string[]): Subject => [...groups.map((group) => ({ O: [group] })), { CN: [name] }];

export const CLIENT_USAGES = ['key encipherment', 'digital signature', 'client auth'];
export const SERVER_USAGES = ['key encipherment', 'digital signature', 'server auth'];
