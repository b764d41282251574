import type { ListenerTls } from '#http';

/** The TLS material that can be replaced while the server runs. PEM texts. */
export type TlsMaterial = Pick<ListenerTls, 'cert' | 'key' | 'clientCa' | 'proxyCa' | 'sniCertificates'>;

/** TLS options of a server. PEM texts. */
export interface TlsOptions extends Omit<ListenerTls, 'minVersion' | 'ciphers' | 'proxyCa'> {
  /** One of `TLS_VERSIONS`. Default `VersionTLS12`. */
  readonly minVersion?: string;
  /** Of `TLS_CIPHER_SUITES`. Those of TLS 1.3 are always there. Default: those of the platform. */
  readonly cipherSuites?: readonly string[];
  /**
   * Reads the texts again, from time to time; what is new is used for new connections, and authorities of clients for requests on open ones, too. Default:
   * nothing is read again.
   */
  readonly read?: () => Promise<TlsMaterial>;
}

/** Go's names of versions, and ours. */
const VERSIONS = { VersionTLS10: 'TLSv1', VersionTLS11: 'TLSv1.1', VersionTLS12: 'TLSv1.2', VersionTLS13: 'TLSv1.3' } as const;

const CIPHERS_13 = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'] as const;

/** IANA's names of cipher suites before TLS 1.3, and those of OpenSSL. */
const CIPHERS: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: 'ECDHE-ECDSA-AES128-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: 'ECDHE-ECDSA-AES128-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: 'ECDHE-ECDSA-AES256-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: 'ECDHE-RSA-AES128-SHA',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: 'ECDHE-RSA-AES128-SHA256',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: 'ECDHE-RSA-AES256-SHA',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_RSA_WITH_AES_128_CBC_SHA: 'AES128-SHA',
  TLS_RSA_WITH_AES_128_CBC_SHA256: 'AES128-SHA256',
  TLS_RSA_WITH_AES_128_GCM_SHA256: 'AES128-GCM-SHA256',
  TLS_RSA_WITH_AES_256_CBC_SHA: 'AES256-SHA',
  TLS_RSA_WITH_AES_256_GCM_SHA384: 'AES256-GCM-SHA384',
};

export const TLS_VERSIONS: readonly string[] = Object.keys(VERSIONS);
export const TLS_CIPHER_SUITES: readonly string[] = [...CIPHERS_13, ...Object.keys(CIPHERS)];

/** For the listener. Throws an `Error` that begins with the name of the flag that is wrong. */
export function listenerTls({ minVersion, cipherSuites = [], read: _, ...tls }: TlsOptions): ListenerTls {
  return {
    ...tls,
    ...(minVersion === undefined ? {} : { minVersion: versionOf(minVersion) }),
    ...(cipherSuites.length === 0 ? {} : { ciphers: ciphersOf(cipherSuites) }),
  };
}

function versionOf(name: string): (typeof VERSIONS)[keyof typeof VERSIONS] {
  const version = Object.hasOwn(VERSIONS, name) ? VERSIONS[name as keyof typeof VERSIONS] : undefined;
  if (version === undefined) throw new Error(`tls-min-version: ${JSON.stringify(name)} is not known; there are ${TLS_VERSIONS.join(', ')}`);
  return version;
}

function ciphersOf(names: readonly string[]): string {
  const unknown = names.filter((name) => !TLS_CIPHER_SUITES.includes(name));
  if (unknown.length > 0) {
    throw new Error(`tls-cipher-suites: ${unknown.map((name) => JSON.stringify(name)).join(', ')} is not known; there are ${TLS_CIPHER_SUITES.join(', ')}`);
  }
  const chosen = names.flatMap((name) => (Object.hasOwn(CIPHERS, name) ? [CIPHERS[name] ?? ''] : []));
  return [...CIPHERS_13, ...new Set(chosen)].join(':');
}
