import { Agent, type AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { checkServerIdentity, TLSSocket, type ConnectionOptions, type PeerCertificate } from 'node:tls';
import { isNamesakeOfIssuer } from './namesake.ts';
import { trusting } from './trust.ts';

/**
 * Connections to servers for which the given PEM authorities vouch, by the rules of Go where OpenSSL has narrower ones. Whoever is not vouched
 * for is hung up on when the handshake ends, before anything is sent; the error has the code of OpenSSL, or of Node for a name that does not fit.
 */
export class TrustingAgent extends Agent {
  readonly #authorities: string;

  constructor(authorities: string, options: AgentOptions = {}) {
    // A connection that takes up the session of another shows no certificate that could be looked at.
    super({ ...options, ...trusting(authorities), rejectUnauthorized: false, maxCachedSessions: 0 });
    this.#authorities = authorities;
  }

  override createConnection(options: ConnectionOptions, callback?: (error: Error | null, stream: Duplex) => void): Duplex | null | undefined {
    const socket = super.createConnection({ ...options, rejectUnauthorized: false }, callback);
    if (socket instanceof TLSSocket) {
      socket.once('secureConnect', () => {
        const fault = socket.authorized ? undefined : this.#faultOf(socket, options.servername || options.host || 'localhost');
        if (fault !== undefined) socket.destroy(fault);
      });
    }
    return socket;
  }

  #faultOf(socket: TLSSocket, host: string): Error | undefined {
    const code = String(socket.authorizationError);
    const certificate = socket.getPeerX509Certificate();
    if (certificate !== undefined && (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || isNamesakeOfIssuer(code, certificate, this.#authorities))) {
      return checkServerIdentity(host, certificate.toLegacyObject() as PeerCertificate);
    }
    return Object.assign(new Error(code.toLowerCase().replaceAll('_', ' ')), { code });
  }
}
