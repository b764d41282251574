import { Agent, type AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { checkServerIdentity, TLSSocket, type ConnectionOptions } from 'node:tls';
import { isNamesakeOfIssuer } from './namesake.ts';
import { trusting } from './trust.ts';

const BAD_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID';

/**
 * Connects to servers that the given PEM authorities vouch for, by Go's rules where OpenSSL's are stricter. A connection that fails verification is
 * closed right after the handshake, before anything is sent; the error has the code of OpenSSL, or of Node for a name that does not match.
 */
export class TrustingAgent extends Agent {
  readonly #authorities: string;

  constructor(authorities: string, options: AgentOptions = {}) {
    // A resumed TLS session presents no certificate that could be verified.
    super({ ...options, ...trusting(authorities), rejectUnauthorized: false, maxCachedSessions: 0 });
    this.#authorities = authorities;
  }

  override createConnection(options: ConnectionOptions, callback?: (error: Error | null, stream: Duplex) => void): Duplex | null | undefined {
    const socket = super.createConnection({ ...options, rejectUnauthorized: false }, callback);
    if (socket instanceof TLSSocket) {
      socket.once('secureConnect', () => {
        const fault = socket.authorized ? undefined : this.#faultOf(socket, options);
        if (fault !== undefined) socket.destroy(fault);
      });
    }
    return socket;
  }

  /** Node verifies the name only where nothing else is wrong. */
  #faultOf(socket: TLSSocket, { servername, host = 'localhost', checkServerIdentity: checkName = checkServerIdentity }: ConnectionOptions): Error | undefined {
    const code = String(socket.authorizationError);
    const certificate = socket.getPeerX509Certificate();
    const fault = Object.assign(new Error(code.toLowerCase().replaceAll('_', ' ')), { code });
    if (certificate === undefined) return fault;
    const nameFault = (): Error | undefined => checkName(servername || host, certificate.toLegacyObject());
    if (isNamesakeOfIssuer(code, certificate, this.#authorities)) return nameFault();
    // The name check again, for its full message.
    return code === BAD_NAME ? (nameFault() ?? fault) : fault;
  }
}
