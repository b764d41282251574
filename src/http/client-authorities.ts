import { X509Certificate } from 'node:crypto';
import { certificateBlocks, isInItsTime, isMeantFor, realNowMs } from '#base';

/** Longer chains than this nobody sends. */
const MAX_CHAIN = 8;

/** Who may vouch for certificates of clients. PEM texts. */
export interface ClientBundles {
  /** For clients that speak for themselves. */
  readonly clientCa?: string;
  /** For proxies that say who asks. */
  readonly proxyCa?: string;
}

/** Whose word a certificate has. The handshake has shown already that somebody of them vouches for it. */
export interface Vouching {
  readonly asClient: boolean;
  readonly asProxy: boolean;
  /** It should be good for a client, and is not. */
  readonly isBad: boolean;
}

/** Tells apart who vouches for a certificate. */
export class ClientAuthorities {
  readonly #clients: readonly X509Certificate[];
  readonly #proxies: readonly X509Certificate[];

  constructor({ clientCa = '', proxyCa = '' }: ClientBundles) {
    this.#clients = parse(clientCa);
    this.#proxies = parse(proxyCa);
  }

  /** Whether somebody of them whose own time has begun and not ended vouches for the certificate, which comes with its chain. */
  haveLivingIssuerOf(certificate: X509Certificate | undefined): boolean {
    const nowMs = realNowMs();
    return isSignedBy(certificate, this.#all().filter((authority) => isInItsTime(authority, nowMs)));
  }

  /** Whether the certificate is itself one of them, and good for a client just now. Such a one needs nobody above it. */
  hold(certificate: X509Certificate | undefined): boolean {
    return isOneOf(certificate, this.#all()) && isInItsTime(certificate, realNowMs()) && isMeantFor('client', certificate);
  }

  /** `certificate` is one that the handshake accepted, with the chain it came with. */
  vouchingFor(certificate: () => X509Certificate | undefined): Vouching {
    // All there is has been asked by the handshake.
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
 * Whether signatures lead from the certificate to one of the authorities. Names are not enough: two authorities may have the same. Some
 * releases of Node do not show the issuers that a client shows (nodejs/node#65579): then they vouch for nobody.
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
