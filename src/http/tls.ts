import { createSecureContext, createServer, type SecureContext, type SecureContextOptions, type SecureVersion, type Server, type TlsOptions } from 'node:tls';
import { ClientAuthorities } from './client-authorities.ts';
import { timeHandshakes } from './late-sockets.ts';
import type { ConnectionLimits } from './limits.ts';
import { SniCertificates, type SniCertificate } from './sni-certificates.ts';

/** TLS settings of a listener; certificates and keys are PEM texts. */
export interface ListenerTls {
  readonly cert: string;
  readonly key: string;
  /** Certificate authorities of clients. Without these and `proxyCa` the server requests no client certificate. */
  readonly clientCa?: string;
  /** Certificate authorities of authenticating proxies, whose headers name the user. */
  readonly proxyCa?: string;
  /** Served to clients that request another server name (SNI). Of two that match the first counts. */
  readonly sniCertificates?: readonly SniCertificate[];
  /** Default TLS 1.2. */
  readonly minVersion?: SecureVersion;
  /** In OpenSSL's notation. Default: those of the platform. */
  readonly ciphers?: string;
}

/** The longest delay of a timer. */
const NEVER_MS = 0x7fff_ffff;

/**
 * The TLS server of a listener. A client certificate that cannot be verified does not break the handshake: authentication answers the request with
 * 401, so that the client learns what is wrong.
 */
export class TlsFront {
  readonly server: Server;
  #tls: ListenerTls;
  #sniCertificates: SniCertificates;
  #authorities: ClientAuthorities | undefined;

  /** Throws where a certificate and its key do not match. */
  constructor(tls: ListenerTls, { handshakeTimeoutMs, probeAfterMs }: ConnectionLimits) {
    this.#tls = tls;
    this.#sniCertificates = sniCertificatesOf(tls);
    this.#authorities = authoritiesOf(tls);
    this.server = createServer({
      ...secureContext(tls),
      ALPNProtocols: ['h2', 'http/1.1'],
      requestCert: asksForCertificate(tls),
      rejectUnauthorized: false,
      // Handshakes are timed below: Node would close connections whose last handshake message has arrived and is not read yet.
      handshakeTimeout: NEVER_MS,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: probeAfterMs,
      SNICallback: (name: string, answer: (failure: null, context?: SecureContext) => void) => answer(null, this.#sniCertificates.contextFor(name)),
    } as TlsOptions);
    timeHandshakes(this.server, handshakeTimeoutMs);
  }

  get tls(): ListenerTls {
    return this.#tls;
  }

  /** The authorities of clients that connect from now on; undefined: no client certificate is requested. */
  get authorities(): ClientAuthorities | undefined {
    return this.#authorities;
  }

  /**
   * Replaces the settings for new connections; established ones keep theirs. Whether a client certificate is requested stays as it was. Throws where
   * a certificate and its key do not match, and then keeps all settings.
   */
  replace(tls: ListenerTls): void {
    const [named, authorities] = [sniCertificatesOf(tls), authoritiesOf(tls)];
    createSecureContext(secureContext(tls));
    // This also makes new session ticket keys: a client cannot resume a session that was verified by an authority since removed.
    this.server.setSecureContext(secureContext(tls));
    this.#tls = tls;
    this.#sniCertificates = named;
    this.#authorities = authorities;
  }
}

/** The settings of a secure context, at start and when certificates are replaced. */
function secureContext({ cert, key, clientCa, proxyCa, minVersion = 'TLSv1.2', ciphers }: ListenerTls): SecureContextOptions {
  const ca = [clientCa, proxyCa].filter((pem) => pem !== undefined);
  return { cert, key, minVersion, ...(ciphers === undefined ? {} : { ciphers }), ...(ca.length === 0 ? {} : { ca }) };
}

const asksForCertificate = ({ clientCa, proxyCa }: ListenerTls): boolean => clientCa !== undefined || proxyCa !== undefined;

const authoritiesOf = (tls: ListenerTls): ClientAuthorities | undefined => (asksForCertificate(tls) ? new ClientAuthorities(tls) : undefined);

const sniCertificatesOf = (tls: ListenerTls): SniCertificates =>
  new SniCertificates(tls.sniCertificates ?? [], (pair) => createSecureContext(secureContext({ ...tls, ...pair })));
