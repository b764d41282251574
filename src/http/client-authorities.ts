import { X509Certificate } from 'node:crypto';
import { certificateBlocks, forgetOldest, isInItsTime, isMeantFor, realNowMs } from '#base';

/** Longer certificate chains do not occur in practice. */
const MAX_CHAIN = 8;
/** More issuers between the authorities and their clients do not occur in practice. */
const MAX_BETWEEN = 1_000;

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
  /**
   * By fingerprint, the issuers between the authorities and clients that these have shown: who resumes a TLS session shows its certificate only. They
   * are trusted as little as shown ones.
   */
  readonly #between = new Map<string, X509Certificate>();

  constructor({ clientCa = '', proxyCa = '' }: ClientBundles) {
    this.#clients = parse(clientCa);
    this.#proxies = parse(proxyCa);
  }

  /** Whether an authority that is itself within its validity period issued the certificate, directly or through the chain the client sent. */
  haveValidIssuerOf(certificate: X509Certificate | undefined): boolean {
    const nowMs = realNowMs();
    return this.#isSignedBy(certificate, this.#all().filter((authority) => isInItsTime(authority, nowMs)));
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
    const asClient = this.#isTrustedBy(leaf, this.#clients);
    return { asClient, asProxy: this.#isTrustedBy(leaf, this.#proxies), isBad: !asClient };
  }

  /**
   * The trust in a certificate that a handshake accepted by other authorities, which these have replaced: whether one of these signed it. The rest of it
   * stays as it was.
   */
  stillTrust(certificate: X509Certificate | undefined): CertificateTrust {
    const [asClient, asProxy] = [this.#isTrustedBy(certificate, this.#clients), this.#isTrustedBy(certificate, this.#proxies)];
    return { asClient, asProxy, isBad: this.#clients.length > 0 ? !asClient : !asProxy };
  }

  #all(): readonly X509Certificate[] {
    return [...this.#clients, ...this.#proxies];
  }

  #isTrustedBy(leaf: X509Certificate | undefined, authorities: readonly X509Certificate[]): boolean {
    return isOneOf(leaf, authorities) || this.#isSignedBy(leaf, authorities);
  }

  /**
   * Whether signatures lead from the certificate to one of the authorities. Subject names are not enough: two authorities may have the same name. Some
   * releases of Node do not expose the intermediate certificates that a client sends (nodejs/node#65579): there such a chain is not trusted.
   */
  #isSignedBy(leaf: X509Certificate | undefined, authorities: readonly X509Certificate[]): boolean {
    const between: X509Certificate[] = [];
    let certificate = leaf;
    for (let depth = 0; certificate !== undefined && depth < MAX_CHAIN; depth++) {
      const subject = certificate;
      if (authorities.some((authority) => isIssuedBy(subject, authority))) {
        this.#keep(between);
        return true;
      }
      const issuer = subject.issuerCertificate ?? this.#keptIssuerOf(subject);
      if (issuer === undefined || !issuer.ca || issuer.fingerprint256 === subject.fingerprint256 || !isIssuedBy(subject, issuer)) return false;
      between.push(issuer);
      certificate = issuer;
    }
    return false;
  }

  #keptIssuerOf(subject: X509Certificate): X509Certificate | undefined {
    return [...this.#between.values()].find((issuer) => isIssuedBy(subject, issuer));
  }

  #keep(between: readonly X509Certificate[]): void {
    for (const { fingerprint256, raw } of between) {
      if (this.#between.has(fingerprint256)) continue;
      forgetOldest(this.#between, MAX_BETWEEN);
      // A copy, which holds nothing of its connection.
      this.#between.set(fingerprint256, new X509Certificate(raw));
    }
  }
}

const parse = (bundle: string): readonly X509Certificate[] => certificateBlocks(bundle).map((block) => new X509Certificate(block));

const isOneOf = (certificate: X509Certificate | undefined, authorities: readonly X509Certificate[]): certificate is X509Certificate =>
  certificate !== undefined && authorities.some(({ fingerprint256 }) => fingerprint256 === certificate.fingerprint256);

const isIssuedBy = (subject: X509Certificate, issuer: X509Certificate): boolean => subject.checkIssued(issuer) && subject.verify(issuer.publicKey);
