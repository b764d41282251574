import { isIP } from 'node:net';
import { checkServerIdentity, createSecureContext, type SecureContext } from 'node:tls';
import { credentials, type ChannelCredentials, type ClientOptions } from '@grpc/grpc-js';
import type { TlsFiles } from './location.ts';

/** How a member is connected to. */
export interface Trust {
  readonly credentials: ChannelCredentials;
  /** What a client has to be told beside. */
  readonly options: ClientOptions;
}

export const noTls = (): Trust => ({ credentials: credentials.createInsecure(), options: {} });

/** What a member that has no name is called: TLS forbids to send an address, and Node 26 refuses to. */
const NAMELESS = 'etcd';

/**
 * What every connection to a cluster is made with: what the files hold at that moment, since certificates are exchanged while a program runs. Where
 * they cannot be read, or do not belong together because one is written after the other, it is what they held before.
 */
export class CurrentTrust {
  #context: SecureContext;
  readonly #current: TlsFiles['current'];

  /** Throws what is wrong with the files. */
  constructor({ current, ...files }: TlsFiles) {
    this.#context = contextOf(files);
    this.#current = current;
  }

  /** Each member is named as it was given, and its certificate is checked against that name or address. */
  of(member: string): Trust {
    const host = new URL(`https://${member}`).hostname.replace(/^\[|\]$/g, '');
    const isAddress = isIP(host) !== 0;
    const made = (): ChannelCredentials =>
      credentials.createFromSecureContext(this.#context, isAddress ? { checkServerIdentity: (_host, certificate) => checkServerIdentity(host, certificate) } : {});
    return { credentials: this.#renewed(made), options: isAddress ? { 'grpc.ssl_target_name_override': NAMELESS } : {} };
  }

  /** gRPC asks its credentials for each connection, and would go on with those it was given first. */
  #renewed(made: () => ChannelCredentials): ChannelCredentials {
    const trust = made();
    const createConnector = trust._createSecureConnector.bind(trust);
    trust._createSecureConnector = (...options) => {
      const first = createConnector(...options);
      return {
        // Before the socket is there: nobody hears its errors while its connector works.
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
    } catch {
      // The next connection may find them whole.
    }
  }
}

/** Each certificate of the authority's file is trusted as it stands, as Go does: OpenSSL by itself trusts nothing that does not end in a root. */
const contextOf = (files: Omit<TlsFiles, 'current'>): SecureContext => createSecureContext({ ...files, allowPartialTrustChain: true });
