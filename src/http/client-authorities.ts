import { X509Certificate } from 'node:crypto';
import { certificateBlocks, isInItsTime, isMeantFor, realNowMs } from '#base';

/** Longer certificate chains do not occur in practice. */
const MAX_CHAIN = 8;

/** Certificate authorities that client certificates may be issued by. PEM texts. */
export interface ClientBundles {
  /** For clients that authenticate as themselves. */
  readonly clientCa?: string;
  /** For authenticating proxies, whose headers name the user. */
  readonly proxyCa?: string;
}

/** Which bundle a client certificate was issued by. The TLS handshake has already shown that an authority of one of the two issued it. */
export interface CertificateTrust {
  readonly asClient: boolean;
  readonly asProxy: boolean;
  /** The client CA bundle is configured, and the certificate was not issued by an authority in it. */
  readonly isBad: boolean;
}

/** Tells whether a client certificate was issued by the authorities of clients, by those of proxies, or by both. */
export class ClientAuthorities {
  readonly #clients: readonly X509Certificate[];
  readonly #proxies: readonly X509Certificate[];

  constructor({ clientCa = '', proxyCa = '' }: ClientBundles) {
    this.#clients = parse(clientCa);
    this.#proxies = parse(proxyCa);
  }

  /** Whether an authority that is itself within its validity period issued the certificate, directly or through the chain the client sent. */
  haveValidIssuerOf(certificate: X509Certificate | undefined): boolean {
    const nowMs = realNowMs();
    return isSignedBy(certificate, this.#all().filter((authority) => isInItsTime(authority, nowMs)));
  }

  /**
   * Whether the certificate is itself a configured authority, valid now, and has the extended key usage of a client. Such a certificate needs no
   * issuer.
   */
  includes(certificate: X509Certificate | undefined): boolean {
    return isOneOf(certificate, this.#all()) && isInItsTime(certificate, realNowMs()) && isMeantFor('client', certificate);
  }

  /** `certificate` returns the one that the handshake accepted, with the chain the client sent. */
  trustOf(certificate: () => X509Certificate | undefined): CertificateTrust {
    // With one bundle only, the handshake has already checked everything.
    if (this.#proxies.length === 0) return { asClient: true, asProxy: false, isBad: false };
    if (this.#clients.length === 0) return { asClient: false, asProxy: true, isBad: false };
    const leaf = certificate();
    const asClient = isTrustedBy(leaf, this.#clients);
    return { asClient, asProxy: isTrustedBy(leaf, this.#proxies), isBad: !asClient };
  }

  #all(): readonly X509Certificate[] {
    return [...this.#clients, ...this.#proxies];
  }
}

const parse = (bundle: string): readonly X509Certificate[] => certificateBlocks(bundle).map((block) => new X509Certificate(block));

const isOneOf = (certificate: X509Certificate | undefined, authorities: readonly X509Certificate[]): certificate is X509Certificate =>
  certificate !== undefined && authorities.some(({ fingerprint256 }) => fingerprint256 === certificate.fingerprint256);

const isTrustedBy = (leaf: X509Certificate | undefined, authorities: readonly X509Certificate[]): boolean => isOneOf(leaf, authorities) || isSignedBy(leaf, authorities);

/**
 * Whether signatures lead from the certificate to one of the authorities. Subject names are not enough: two authorities may have the same name. Some
 * releases of Node do not expose the intermediate certificates that a client sends (nodejs/node#65579): there such a chain is not trusted.
 */
function isSignedBy(leaf: X509Certificate | undefined, authorities: readonly X509Certificate[]): boolean {
  let certificate = leaf;
  for (let depth = 0; certificate !== undefined && depth < MAX_CHAIN; depth++) {
    const subject = certificate;
    if (authorities.some((authority) => isIssuedBy(subject, authority))) return true;
    const issuer = subject.issuerCertificate;
    if (issuer === undefined || !issuer.ca || issuer.fingerprint256 === subject.fingerprint256 || !isIssuedBy(subject, issuer)) return false;
    certificate = issuer;
  }
  return false;
}

const isIssuedBy = (subject: X509Certificate, issuer: X509Certificate): boolean => subject.checkIssued(issuer) && subject.verify(issuer.publicKey);
