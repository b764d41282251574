import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Clock } from '#base';
import type { BuiltInSigner } from '#controllers';
import { verifySignature } from '#registry';
import type { CertificatePair } from './certificates.ts';

/** How CertificateSigningRequests are signed. @spec 2.12 */
export interface CertificateSigningOptions {
  /** PEM of certificate and key of the authority. Default: one that lives as long as the server, made when it is first needed. */
  readonly authority?: CertificatePair;
  /** Authorities of signers with one of their own. */
  readonly bySigner?: Readonly<Partial<Record<BuiltInSigner, CertificatePair>>>;
  /** The longest lifetime of a certificate, and the lifetime where a request has none. Default a year. */
  readonly longestMs?: number;
}

const YEAR_MS = 365 * 24 * 3_600_000;

/** Throws an `Error` where an authority that was given cannot sign. */
export function openSigning({ authority, bySigner = {}, longestMs = YEAR_MS }: CertificateSigningOptions, clock: Clock) {
  for (const given of [authority, ...Object.values(bySigner)]) if (given !== undefined) checkAuthority(given);
  if (!(longestMs > 0)) throw new Error('cluster-signing-duration: certificates must live longer than no time');
  let own: Promise<CertificatePair> | undefined;
  const make = async (): Promise<CertificatePair> => (await import('./certificates.ts')).createAuthority(clock.nowMs());
  const authorityOf = (signer: BuiltInSigner): Promise<CertificatePair> => {
    const given = bySigner[signer] ?? authority;
    return given === undefined ? (own ??= make()) : Promise.resolve(given);
  };
  return { longestMs, authorityOf, verifySignature };
}

/** Throws an `Error` that says what is wrong. */
export function checkAuthority({ cert, key }: CertificatePair): void {
  const certificate = new X509Certificate(cert);
  if (!certificate.checkPrivateKey(createPrivateKey(key))) throw new Error('the certificate of the signing authority and its key do not belong together');
  if (!certificate.ca) throw new Error('the certificate of the signing authority is not that of an authority');
}
