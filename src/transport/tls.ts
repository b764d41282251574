import { isIP } from 'node:net';
import { checkServerIdentity, createSecureContext, type ConnectionOptions, type SecureContextOptions } from 'node:tls';
import { failureText } from '#base';
import type { Connection } from './connection.ts';
import { TransportFailure } from './failure.ts';
import { trusting } from './trust.ts';

/** How Node is told whom to trust and what to show. */
export interface TlsSettings extends SecureContextOptions {
  readonly rejectUnauthorized: boolean;
  readonly servername?: string;
  readonly checkServerIdentity?: NonNullable<ConnectionOptions['checkServerIdentity']>;
}

/** Throws `TransportFailure` when a certificate or key is not one, or they do not fit. */
export function tlsSettings(connection: Connection): TlsSettings {
  const { authority, clientCertificate, serverName, isVerified } = connection;
  const shown: SecureContextOptions = {
    minVersion: 'TLSv1.2',
    ...(authority === undefined ? {} : trusting(authority)),
    ...(clientCertificate === undefined ? {} : { cert: clientCertificate.cert, key: clientCertificate.key }),
  };
  if (authority !== undefined && !authority.includes('-----BEGIN')) {
    throw new TransportFailure('configuration', `the certificate authority of ${connection.server} is not PEM`);
  }
  try {
    createSecureContext(shown);
  } catch (cause) {
    const why = failureText(cause);
    throw new TransportFailure('configuration', `the certificates for ${connection.server} cannot be used: ${why}`, { cause });
  }
  return { ...shown, rejectUnauthorized: isVerified, ...(serverName === undefined ? {} : named(serverName)) };
}

/** An address is checked like a name, but it is never told to the other side: TLS forbids it, and Node 26 refuses to connect. */
const named = (serverName: string): Pick<TlsSettings, 'servername' | 'checkServerIdentity'> =>
  isIP(serverName) === 0 ? { servername: serverName } : { servername: '', checkServerIdentity: (_host, certificate) => checkServerIdentity(serverName, certificate) };
