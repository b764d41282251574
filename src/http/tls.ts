import { createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net';
import { createSecureContext, createServer, type SecureContextOptions, type SecureVersion, type Server, type TLSSocket } from 'node:tls';
import { checkCertificatePair } from '#base';
import { ClientAuthorities } from './client-authorities.ts';
import { hearServerName } from './hear-server-name.ts';
import { timeHandshakes, type Handshakes } from './late-sockets.ts';
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
  /** Served to clients that request another server name (SNI), or call another address: see `SniCertificates`. */
  readonly sniCertificates?: readonly SniCertificate[];
  /** Default TLS 1.2. */
  readonly minVersion?: SecureVersion;
  /** In OpenSSL's notation. Default: those of the platform. */
  readonly ciphers?: string;
}

/** What a client is told that speaks HTTP without TLS, as by servers in Go. */
const TO_PLAIN_HTTP = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

/**
 * How the TLS library calls first bytes that are no TLS: it knows four methods of HTTP and CONNECT, and of other bytes nothing but that they are no
 * version of TLS. They are not handed out; among them are the other methods, and the beginning of HTTP/2.
 */
const NO_TLS: ReadonlySet<string | undefined> = new Set(['ERR_SSL_HTTP_REQUEST', 'ERR_SSL_HTTPS_PROXY_REQUEST', 'ERR_SSL_WRONG_VERSION_NUMBER']);

/** The longest delay of a timer. */
const NEVER_MS = 0x7fff_ffff;

/**
 * The TLS servers of a listener: one for each certificate. An `SNICallback` would add a certificate to the default one, and OpenSSL would show whose
 * sort of key the client prefers. A client certificate that cannot be verified does not break the handshake: authentication answers the request with
 * 401, so that the client learns what is wrong.
 */
export class TlsFront {
  /** Accepts the connections. */
  readonly server: TcpServer;
  /** Has the default certificate. */
  readonly usual: Server;
  readonly #accept: (socket: TLSSocket) => void;
  readonly #handshakes: Handshakes;
  readonly #requestCert: boolean;
  #tls: ListenerTls;
  #named: SniCertificates<Server>;
  #authorities: ClientAuthorities | undefined;

  /** Calls `accept` with connections whose handshake is complete. Throws where a certificate and its key do not match. */
  constructor(tls: ListenerTls, { handshakeTimeoutMs, probeAfterMs }: ConnectionLimits, accept: (socket: TLSSocket) => void) {
    this.server = createTcpServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: probeAfterMs }, (socket) => this.#onConnection(socket));
    this.#handshakes = timeHandshakes(this.server, handshakeTimeoutMs);
    this.#accept = (socket) => {
      this.#handshakes.completed(socket);
      accept(socket);
    };
    this.#requestCert = asksForCertificate(tls);
    this.#tls = tls;
    this.usual = this.#open(tls);
    this.#named = this.#openNamed(tls);
    this.#authorities = authoritiesOf(tls);
  }

  get tls(): ListenerTls {
    return this.#tls;
  }

  /** The authorities of clients, those that count now; undefined: no client certificate is requested. */
  get authorities(): ClientAuthorities | undefined {
    return this.#authorities;
  }

  /**
   * Replaces the settings for new connections; established ones keep theirs, but for the authorities of their clients. Whether a client certificate is
   * requested stays as it was. Throws where a certificate and its key do not match, and then keeps all settings.
   */
  replace(tls: ListenerTls): void {
    const isSameTrust = tls.clientCa === this.#tls.clientCa && tls.proxyCa === this.#tls.proxyCa;
    const [named, authorities] = [this.#openNamed(tls), isSameTrust ? this.#authorities : authoritiesOf(tls)];
    checkCertificatePair(tls);
    createSecureContext(secureContext(tls));
    // This also makes new session ticket keys: a client cannot resume a session that was verified by an authority since removed.
    this.usual.setSecureContext(secureContext(tls));
    this.#tls = tls;
    this.#named = named;
    this.#authorities = authorities;
  }

  /** Closes the connections whose handshake is not complete. */
  destroyHandshakes(): void {
    this.#handshakes.destroyAll();
  }

  #onConnection(socket: Socket): void {
    if (this.#named.isEmpty) this.usual.emit('connection', socket);
    else hearServerName(socket, (name) => (this.#named.get(name, socket.localAddress) ?? this.usual).emit('connection', socket));
  }

  /** A server that does not listen: it is given its connections. */
  #open(tls: ListenerTls): Server {
    checkCertificatePair(tls);
    const server = createServer({
      ...secureContext(tls),
      ALPNProtocols: ['h2', 'http/1.1'],
      requestCert: this.#requestCert,
      rejectUnauthorized: false,
      // Handshakes are timed by this front: Node would close connections whose last handshake message has arrived and is not read yet.
      handshakeTimeout: NEVER_MS,
    });
    server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
      if (NO_TLS.has(error.code)) this.#handshakes.below(socket)?.end(TO_PLAIN_HTTP);
    });
    return server.on('secureConnection', this.#accept);
  }

  #openNamed(tls: ListenerTls): SniCertificates<Server> {
    return new SniCertificates(tls.sniCertificates ?? [], (pair) => this.#open({ ...tls, ...pair }));
  }
}

/** The settings of a secure context, at start and when certificates are replaced. */
function secureContext({ cert, key, clientCa, proxyCa, minVersion = 'TLSv1.2', ciphers }: ListenerTls): SecureContextOptions {
  const ca = [clientCa, proxyCa].filter((pem) => pem !== undefined);
  return { cert, key, minVersion, ...(ciphers === undefined ? {} : { ciphers }), ...(ca.length === 0 ? {} : { ca }) };
}

const asksForCertificate = ({ clientCa, proxyCa }: ListenerTls): boolean => clientCa !== undefined || proxyCa !== undefined;

const authoritiesOf = (tls: ListenerTls): ClientAuthorities | undefined => (asksForCertificate(tls) ? new ClientAuthorities(tls) : undefined);
