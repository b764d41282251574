import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { checkCertificatePair, failureText } from '#base';
import { StorageFailure } from '../../storage-failure.ts';

/** The contents of the TLS files, as PEM. */
export interface TlsFiles {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  /** Reads the files again. Throws `StorageFailure`. */
  readonly current: () => Promise<TlsFiles>;
}

/** What each file must hold, and who finds out. OpenSSL takes authorities without any for none, and would trust nobody. */
const CONTENTS = {
  cafile: { what: 'certificate', parse: (pem: Buffer) => new X509Certificate(pem) },
  certfile: { what: 'certificate', parse: (cert: Buffer) => createSecureContext({ cert }) },
  keyfile: { what: 'private key without a password', parse: (key: Buffer) => createSecureContext({ key }) },
} as const;

/** Reads the files that the settings of an `etcd://` URL name. Throws `StorageFailure`. */
export async function readTlsFiles(query: URLSearchParams): Promise<TlsFiles> {
  const [ca, cert, key] = await Promise.all((['cafile', 'certfile', 'keyfile'] as const).map((name) => readPem(name, query.get(name))));
  if ((cert === undefined) !== (key === undefined)) throw wrong('a client certificate needs both certfile and keyfile');
  if (cert !== undefined && key !== undefined) checkPair(cert, key);
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }), current: () => readTlsFiles(query) };
}

async function readPem(name: keyof typeof CONTENTS, path: string | null): Promise<Buffer | undefined> {
  if (path === null) return undefined;
  // From a variable that is not set, perhaps: without TLS anybody could read what it was to protect.
  if (path === '') throw wrong(`${name}= names no file: leave it out, or name one`);
  let pem: Buffer;
  try {
    pem = await readFile(path);
  } catch (cause) {
    throw new StorageFailure('unavailable', `the ${name} of etcd cannot be read: ${failureText(cause)}`, { cause });
  }
  const { what, parse } = CONTENTS[name];
  try {
    parse(pem);
    return pem;
  } catch (cause) {
    throw new StorageFailure('unavailable', `the ${name} of etcd holds no ${what} in the form PEM: ${path} (${failureText(cause)})`, { cause });
  }
}

function checkPair(cert: Buffer, key: Buffer): void {
  try {
    checkCertificatePair({ cert, key });
  } catch (cause) {
    throw new StorageFailure('unavailable', `the keyfile of etcd is not the key of the certificate in its certfile (${failureText(cause)})`, { cause });
  }
}

/** What is wrong with the address of etcd. */
export const wrong = (message: string): StorageFailure => new StorageFailure('unavailable', `the address of etcd: ${message}`);
