import { createSecureContext, createServer, type SecureContext, type SecureContextOptions, type SecureVersion, type Server, type TlsOptions } from 'node:tls';
import { ClientAuthorities } from './client-authorities.ts';
import { timeHandshakes } from './late-sockets.ts';
import { NamedCertificates, type NamedPair } from './named-certificates.ts';

/** PEM texts. */
export interface ListenerTls {
  readonly cert: string;
  readonly key: string;
  /** Certificates of the authorities that vouch for clients. Without these and `proxyCa` clients are not asked for a certificate. */
  readonly clientCa?: string;
  /** Certificates of the authorities that vouch for proxies, whose headers say who asks. */
  readonly proxyCa?: string;
  /** Shown to clients that ask for a server of another name. Of two that fit the first counts. */
  readonly named?: readonly NamedPair[];
  /** Default TLS 1.2. */
  readonly minVersion?: SecureVersion;
  /** As OpenSSL writes them. Default: those of the platform. */
  readonly ciphers?: string;
}

/** The longest time that a timer can have. */
const NEVER_MS = 0x7fff_ffff;

/**
 * The encrypted front door. A certificate nobody vouches for does not break the connection:
 * the request is answered (401 by authentication) so that the caller learns what is wrong.
 */
export class TlsFront {
  readonly server: Server;
  #tls: ListenerTls;
  #named: NamedCertificates;
  #authorities: ClientAuthorities | undefined;

  /** Throws where a certificate and its key do not fit. */
  constructor(tls: ListenerTls, handshakeTimeoutMs: number) {
    this.#tls = tls;
    this.#named = namedOf(tls);
    this.#authorities = authoritiesOf(tls);
    this.server = createServer({
      ...secureContext(tls),
      ALPNProtocols: ['h2', 'http/1.1'],
      requestCert: asksForCertificate(tls),
      rejectUnauthorized: false,
      // Timed below: Node would cut off clients whose last word of the handshake has come and was not yet read.
      handshakeTimeout: NEVER_MS,
      noDelay: true,
      keepAlive: true,
      SNICallback: (name: string, answer: (failure: null, context?: SecureContext) => void) => answer(null, this.#named.contextFor(name)),
    } as TlsOptions);
    timeHandshakes(this.server, handshakeTimeoutMs);
  }

  get tls(): ListenerTls {
    return this.#tls;
  }

  /** Who may vouch for clients that connect now; undefined: nobody is asked. */
  get authorities(): ClientAuthorities | undefined {
    return this.#authorities;
  }

  /**
   * For connections from now on; running ones keep theirs. Whether clients are asked for a certificate stays as it was. Throws where a
   * certificate and its key do not fit, and keeps everything then.
   */
  replace(tls: ListenerTls): void {
    const [named, authorities] = [namedOf(tls), authoritiesOf(tls)];
    createSecureContext(secureContext(tls));
    // With new ticket keys: nobody resumes a session that an authority vouched for which may be gone.
    this.server.setSecureContext(secureContext(tls));
    this.#tls = tls;
    this.#named = named;
    this.#authorities = authorities;
  }
}

/** Everything that belongs to a secure context; used at the start and again when certificates are exchanged under way. */
function secureContext({ cert, key, clientCa, proxyCa, minVersion = 'TLSv1.2', ciphers }: ListenerTls): SecureContextOptions {
  const ca = [clientCa, proxyCa].filter((pem) => pem !== undefined);
  return { cert, key, minVersion, ...(ciphers === undefined ? {} : { ciphers }), ...(ca.length === 0 ? {} : { ca }) };
}

const asksForCertificate = ({ clientCa, proxyCa }: ListenerTls): boolean => clientCa !== undefined || proxyCa !== undefined;

const authoritiesOf = (tls: ListenerTls): ClientAuthorities | undefined => (asksForCertificate(tls) ? new ClientAuthorities(tls) : undefined);

const namedOf = (tls: ListenerTls): NamedCertificates =>
  new NamedCertificates(tls.named ?? [], (pair) => createSecureContext(secureContext({ ...tls, ...pair })));
