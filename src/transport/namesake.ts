import { X509Certificate } from 'node:crypto';
import { certificateBlocks, isInItsTime, isMeantFor, realNowMs } from '#base';

/** What OpenSSL says of a certificate that it takes for one that vouches for itself. */
const TAKEN_FOR_ITS_OWN_ISSUER: ReadonlySet<string> = new Set(['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN']);

/**
 * Whether one of the PEM authorities signed the certificate of a server that has the same name as that authority, and both are good at this
 * time. OpenSSL does not look whose key signed such a certificate, as those that a program makes for itself together with their authority
 * often are: it holds the name for proof that it vouches for itself, and says `fault`. Go follows the signature. The name of the server
 * is not looked at here.
 */
export function isNamesakeOfIssuer(fault: string, certificate: X509Certificate, authorities: string): boolean {
  const nowMs = realNowMs();
  if (!TAKEN_FOR_ITS_OWN_ISSUER.has(fault) || !isInItsTime(certificate, nowMs) || !isMeantFor('server', certificate)) return false;
  return certificateBlocks(authorities)
    .map((block) => new X509Certificate(block))
    .some((authority) => authority.ca && isInItsTime(authority, nowMs) && certificate.checkIssued(authority) && certificate.verify(authority.publicKey));
}
