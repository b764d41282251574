import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { certificateBlocks, checkCertificatePair, failureText } from '#base';
import type { FlagValues } from '../parse-flags.ts';
import { readCertDir } from './cert-dir.ts';
import { UsageError } from '../usage-error.ts';

/** The contents of the files that flags name. */
export interface GivenFiles extends GivenCertificates {
  readonly tokens?: string;
  readonly encryption?: string;
}

/** The files that can be replaced while the server runs. */
export interface GivenCertificates {
  readonly certificate?: { readonly cert: string; readonly key: string };
  readonly clientCa?: string;
  readonly proxyCa?: string;
}

/** Reads and validates the files. Throws `UsageError` that names flag and file. */
export async function readGivenFiles(flags: FlagValues): Promise<GivenFiles> {
  const [certificates, tokens, encryption] = await Promise.all([
    readGivenCertificates(flags),
    readFlagFile(flags, 'token-auth-file'),
    readFlagFile(flags, 'encryption-provider-config'),
  ]);
  return {
    ...certificates,
    ...(tokens === undefined ? {} : { tokens }),
    ...(encryption === undefined ? {} : { encryption }),
  };
}

const CERTIFICATES = ['tls-cert-file', 'tls-private-key-file', 'client-ca-file', 'requestheader-client-ca-file'] as const;

/** Reads only the certificates, for a reload: files that are read once at startup may be gone by then. Throws `UsageError`. */
export async function readGivenCertificates(flags: FlagValues): Promise<GivenCertificates> {
  const [cert, key, clientCa, proxyCa] = await Promise.all(CERTIFICATES.map((name) => readFlagFile(flags, name)));
  const certificate = cert === undefined && key === undefined ? await readCertDir(flags) : { cert, key };
  if (clientCa !== undefined) checkAuthorities(clientCa, 'client-ca-file', flags);
  if (proxyCa !== undefined) checkAuthorities(proxyCa, 'requestheader-client-ca-file', flags);
  return {
    ...(certificate === undefined ? {} : { certificate: checkPair(certificate.cert, certificate.key, flags) }),
    ...(clientCa === undefined ? {} : { clientCa }),
    ...(proxyCa === undefined ? {} : { proxyCa }),
  };
}

/** The content of the file that a flag names; undefined without the flag. Throws `UsageError` that names both. */
export async function readFlagFile(flags: FlagValues, name: string): Promise<string | undefined> {
  const path = flags.text(name);
  return path === undefined ? undefined : readFileOf(name, path);
}

/** The content of one file that the flag `name` names. Throws `UsageError` that names both. */
export async function readFileOf(name: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new UsageError(`--${name}: cannot read ${path}: ${failureText(cause)}`);
  }
}

function checkPair(cert: string | undefined, key: string | undefined, flags: FlagValues): { readonly cert: string; readonly key: string } {
  if (cert === undefined) throw new UsageError('--tls-private-key-file is given without --tls-cert-file: they belong together');
  if (key === undefined) throw new UsageError('--tls-cert-file is given without --tls-private-key-file: they belong together');
  try {
    checkCertificatePair({ cert, key });
  } catch (cause) {
    throw new UsageError(`${filesOf(flags)} are not a PEM certificate and its key: ${failureText(cause)}`);
  }
  return { cert, key };
}

function filesOf(flags: FlagValues): string {
  const cert = flags.text('tls-cert-file');
  if (cert === undefined) return `--cert-dir: apiserver.crt and apiserver.key in ${flags.text('cert-dir') ?? ''}`;
  return `--tls-cert-file, --tls-private-key-file: ${cert} and ${flags.text('tls-private-key-file') ?? ''}`;
}

/** Checks that the file of a flag contains certificates. Throws `UsageError`. */
export function checkAuthorities(pem: string, name: string, flags: FlagValues): void {
  const blocks = certificateBlocks(pem);
  try {
    if (blocks.length === 0) throw new Error('there is no BEGIN CERTIFICATE');
    for (const block of blocks) void new X509Certificate(block);
  } catch (cause) {
    throw new UsageError(`--${name}: ${flags.text(name) ?? ''} holds no PEM certificates: ${failureText(cause)}`);
  }
}

/** The private key in the file that a flag names; undefined without the flag. Throws `UsageError` that names both. */
export async function readPrivateKey(flags: FlagValues, name: string): Promise<string | undefined> {
  const pem = await readFlagFile(flags, name);
  if (pem === undefined) return undefined;
  try {
    createPrivateKey(pem);
  } catch {
    // OpenSSL's words for it help nobody.
    throw new UsageError(`--${name}: ${flags.text(name) ?? ''} holds no PEM private key`);
  }
  return pem;
}
