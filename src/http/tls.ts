import { createServer, type Server, type TlsOptions } from 'node:tls';

/** PEM texts. */
export interface ListenerTls {
  readonly cert: string;
  readonly key: string;
  /** Certificates of the authorities that vouch for clients. Absent: clients are not asked for a certificate. */
  readonly clientCa?: string;
}

/** Everything that belongs to a secure context; used at the start and again when certificates are exchanged under way. */
export function secureContext({ cert, key, clientCa }: ListenerTls): TlsOptions {
  return { cert, key, minVersion: 'TLSv1.2', ...(clientCa === undefined ? {} : { ca: clientCa }) };
}

/**
 * The encrypted front door. A certificate nobody vouches for does not break the connection:
 * the request is answered (401 by authentication) so that the caller learns what is wrong.
 */
export function createTlsFront(tls: ListenerTls, handshakeTimeoutMs: number): Server {
  return createServer({
    ...secureContext(tls),
    ALPNProtocols: ['h2', 'http/1.1'],
    requestCert: tls.clientCa !== undefined,
    rejectUnauthorized: false,
    handshakeTimeout: handshakeTimeoutMs,
    noDelay: true,
    keepAlive: true,
  } as TlsOptions);
}
