import { X509Certificate } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** What OpenSSL says of a certificate that it takes for one that vouches for itself. */
const TAKEN_FOR_ITS_OWN_ISSUER: ReadonlySet<string> = new Set(['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN']);

/** For servers, and for everything. */
const USAGES: ReadonlySet<string> = new Set(['1.3.6.1.5.5.7.3.1', '2.5.29.37.0']);

/**
 * Whether one of the PEM authorities signed the certificate of a server that has the same name as that authority, and both are good at this
 * time. OpenSSL does not look whose key signed such a certificate, as those that a program makes for itself together with their authority
 * often are: it holds the name for proof that it vouches for itself, and says `fault`. Go follows the signature. The name of the server
 * is not looked at here.
 */
export function isNamesakeOfIssuer(fault: string, certificate: X509Certificate | undefined, authorities: string): boolean {
  if (certificate === undefined || !TAKEN_FOR_ITS_OWN_ISSUER.has(fault) || !isAlive(certificate) || !isForServers(certificate)) return false;
  return parse(authorities).some((authority) => authority.ca && isAlive(authority) && certificate.checkIssued(authority) && certificate.verify(authority.publicKey));
}

const parse = (bundle: string): readonly X509Certificate[] => (bundle.match(CERTIFICATE) ?? []).map((pem) => new X509Certificate(pem));

function isAlive({ validFrom, validTo }: X509Certificate): boolean {
  const nowMs = Date.now();
  return Date.parse(validFrom) <= nowMs && nowMs <= Date.parse(validTo);
}

/** A certificate that names no usage has them all. */
const isForServers = ({ keyUsage }: X509Certificate): boolean => keyUsage === undefined || keyUsage.some((usage) => USAGES.has(usage));
