import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Extension, Name } from '@peculiar/x509';
import type { SigningAuthority } from '../environment.ts';
import { loadX509, provider, type X509 } from './x509.ts';

/** A certificate authority ready for signing. */
export interface OpenAuthority {
  readonly x509: X509;
  readonly issuer: Name;
  readonly endsMs: number;
  readonly key: SigningKey;
  /** The authority key identifier of issued certificates, by which verifiers find the authority. */
  readonly keyIdentifier: Extension;
}

type SigningKey = Awaited<ReturnType<typeof provider.subtle.importKey>>;

const CURVES: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

/** Opens an authority. Throws an `Error` where certificate or key cannot be used. */
export async function openAuthority({ cert, key }: SigningAuthority): Promise<OpenAuthority> {
  const x509 = await loadX509();
  const certificate = new x509.X509Certificate(cert);
  const own = certificate.getExtension(x509.SubjectKeyIdentifierExtension);
  return {
    x509,
    issuer: certificate.subjectName,
    endsMs: certificate.notAfter.getTime(),
    key: await importKey(createPrivateKey(key)),
    keyIdentifier:
      own === null
        ? await x509.AuthorityKeyIdentifierExtension.create(certificate.publicKey, false, provider)
        : new x509.AuthorityKeyIdentifierExtension(own.keyId),
  };
}

const importKey = (key: KeyObject): Promise<SigningKey> =>
  provider.subtle.importKey('pkcs8', key.export({ type: 'pkcs8', format: 'der' }), algorithmOf(key), false, ['sign']);

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject) {
  if (asymmetricKeyType === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const namedCurve = asymmetricKeyType === 'ec' ? CURVES[asymmetricKeyDetails?.namedCurve ?? ''] : undefined;
  if (namedCurve === undefined) throw new Error('the key of the authority must be RSA, or EC on P-256, P-384 or P-521');
  return { name: 'ECDSA', namedCurve };
}
