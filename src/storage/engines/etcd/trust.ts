import { isIP } from 'node:net';
import { checkServerIdentity, createSecureContext, type SecureContext } from 'node:tls';
import { Complaints } from '#base';
import { credentials, type ChannelCredentials, type ClientOptions } from '@grpc/grpc-js';
import type { TlsFiles } from './tls-files.ts';

/** How to connect to a member. */
export interface Trust {
  readonly credentials: ChannelCredentials;
  /** Further options of the gRPC client. */
  readonly options: ClientOptions;
}

/** Connections without TLS. */
export const noTls = (): Trust => ({ credentials: credentials.createInsecure(), options: {} });

/** The server name (SNI) for a member given by its IP address: RFC 6066 forbids addresses there, and Node 26 refuses to send them. */
const NAMELESS = 'etcd';

/**
 * TLS settings that every new connection reads from the files again, since certificates are replaced while a server runs. When the files cannot be read,
 * or do not match because one is written after the other, the previous settings are used, and that is reported once for each reason until they can.
 */
export class CurrentTrust {
  #context: SecureContext;
  readonly #current: TlsFiles['current'];
  readonly #complaints: Complaints;

  /** `unusable` is told why the files cannot be used as they are now. */
  constructor({ current, ...files }: TlsFiles, unusable: (why: string) => void) {
    this.#context = contextOf(files);
    this.#current = current;
    this.#complaints = new Complaints(unusable);
  }

  /** How to connect to a member; its certificate is checked against the host name or address in `member`. */
  of(member: string): Trust {
    const host = new URL(`https://${member}`).hostname.replace(/^\[|\]$/g, '');
    const isAddress = isIP(host) !== 0;
    const made = (): ChannelCredentials =>
      credentials.createFromSecureContext(this.#context, isAddress ? { checkServerIdentity: (_host, certificate) => checkServerIdentity(host, certificate) } : {});
    return { credentials: this.#renewed(made), options: isAddress ? { 'grpc.ssl_target_name_override': NAMELESS } : {} };
  }

  /** Credentials that use the current settings for each connection: gRPC would use those of the first connection for all. */
  #renewed(made: () => ChannelCredentials): ChannelCredentials {
    const trust = made();
    const createConnector = trust._createSecureConnector.bind(trust);
    trust._createSecureConnector = (...options) => {
      const first = createConnector(...options);
      return {
        // The files are read before the socket exists: while `connect` runs, the socket has no error listener.
        waitForReady: () => this.#renew(),
        connect: (socket) => made()._createSecureConnector(...options).connect(socket),
        getCallCredentials: () => first.getCallCredentials(),
        destroy: () => first.destroy(),
      };
    };
    return trust;
  }

  async #renew(): Promise<void> {
    try {
      const { current: _current, ...files } = await this.#current();
      this.#context = contextOf(files);
      this.#complaints.clear();
    } catch (cause) {
      // The next connection tries again, when the files may be complete.
      this.#complaints.add(cause);
    }
  }
}

/** Trusts every certificate of the CA file, intermediate ones too, as Go does: by default OpenSSL requires a chain up to a self-signed root. */
const contextOf = (files: Omit<TlsFiles, 'current'>): SecureContext => createSecureContext({ ...files, allowPartialTrustChain: true });
