import { isIP } from 'node:net';
import { checkServerIdentity, createSecureContext, type ConnectionOptions, type SecureContextOptions } from 'node:tls';
import { checkCertificatePair, failureText } from '#base';
import type { Connection } from './connection.ts';
import { TransportFailure } from './failure.ts';
import { trusting } from './trust.ts';

/** Node's TLS options for a connection. */
export interface TlsSettings extends SecureContextOptions {
  readonly rejectUnauthorized: boolean;
  readonly servername?: string;
  readonly checkServerIdentity?: NonNullable<ConnectionOptions['checkServerIdentity']>;
}

/** Node's TLS options for a connection. Throws `TransportFailure` when a certificate or key is invalid, or they do not match. */
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
    if (clientCertificate !== undefined) checkCertificatePair(clientCertificate);
    createSecureContext(shown);
  } catch (cause) {
    const why = failureText(cause);
    throw new TransportFailure('configuration', `the certificates for ${connection.server} cannot be used: ${why}`, { cause });
  }
  return { ...shown, rejectUnauthorized: isVerified, ...(serverName === undefined ? {} : named(serverName)) };
}

/** An IP address is verified like a name, but never sent as SNI: TLS forbids it, and Node 26 refuses to connect. */
const named = (serverName: string): Pick<TlsSettings, 'servername' | 'checkServerIdentity'> =>
  isIP(serverName) === 0 ? { servername: serverName } : { servername: '', checkServerIdentity: (_host, certificate) => checkServerIdentity(serverName, certificate) };
