import { X509Certificate } from 'node:crypto';
import { certificateBlocks, isInItsTime, isMeantFor, realNowMs } from '#base';

/** OpenSSL's errors for a certificate that it takes for self-signed. */
const TAKEN_FOR_ITS_OWN_ISSUER: ReadonlySet<string> = new Set(['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN']);

/**
 * Whether one of the PEM authorities signed a server certificate whose subject equals that authority's, and both are valid now. OpenSSL does not
 * check which key signed such a certificate, as programs often generate together with their authority: it takes the equal names for a self-signature
 * and reports `fault`. Go follows the signature. The server name is not checked here.
 */
export function isNamesakeOfIssuer(fault: string, certificate: X509Certificate, authorities: string): boolean {
  const nowMs = realNowMs();
  if (!TAKEN_FOR_ITS_OWN_ISSUER.has(fault) || !isInItsTime(certificate, nowMs) || !isMeantFor('server', certificate)) return false;
  return certificateBlocks(authorities).some((block) => hasSigned(block, certificate, nowMs));
}

/** A block that cannot be read as a certificate, or whose key is of a kind that OpenSSL does not know, has signed nothing: Go passes over it. */
function hasSigned(block: string, certificate: X509Certificate, nowMs: number): boolean {
  try {
    const authority = new X509Certificate(block);
    return authority.ca && isInItsTime(authority, nowMs) && certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
  } catch {
    return false;
  }
}
