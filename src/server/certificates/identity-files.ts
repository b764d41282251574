import { randomBytes, X509Certificate } from 'node:crypto';
import { readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { failureText, isInItsTime, makeFolder } from '#base';
import { checkAuthority } from './certificate-authority.ts';
import { createAuthority, createServingCertificate, isServingCertificateGood, namesOfMachine, type CertificatePair } from './certificates.ts';
import { checkSigningKey, createSigningKeyPem } from '../access/token-keys.ts';

/** The server's certificates, the administrator's token and the service account key. Kept in the data folder, created where missing. */
export interface IdentityFiles {
  readonly authority: CertificatePair;
  /** What to tell of an authority whose time is over, or has not begun, where it signs what is served; undefined: nothing. */
  readonly remark?: string | undefined;
  readonly serving: CertificatePair;
  /** What to serve with at that time: another process may have renewed the certificate, or it is renewed now, in the folder too. Rejects as the start would. */
  readonly servingAt: (nowMs: number) => Promise<CertificatePair>;
  readonly adminToken: string;
  /** PEM of the private key that signs service account tokens. */
  readonly tokenKey: string;
}

/**
 * Reads or creates `<folder>/pki`, the administrator's token and the service account key. Private files are readable by their owner only. A new
 * serving certificate is for `names` and the names of this machine, as they are now: one that is not for all of them is replaced. Throws an `Error` that
 * names the files where the authority cannot sign, or token or key are none: they are not replaced, as clients have them.
 */
export async function openIdentityFiles(folder: string, names: readonly string[], nowMs: number): Promise<IdentityFiles> {
  const pki = join(folder, 'pki');
  makeFolder(pki);
  const [certificates, adminToken, tokenKey] = await Promise.all([
    openCertificates(pki, [...namesOfMachine(), ...names], nowMs),
    openToken(join(pki, 'admin.token')),
    openTokenKey(join(pki, 'sa.key')),
  ]);
  return { ...certificates, adminToken, tokenKey };
}

async function openToken(path: string): Promise<string> {
  const token = (await openPrivate(path, () => `${randomBytes(24).toString('base64url')}\n`)).trim();
  // What is in a line of a token file, and in a header.
  if (/^[\x21-\x7e]+$/.test(token) && !/[",]/.test(token)) return token;
  throw new Error(`${path} holds no token, which is one word without commas and quotes: put it back, or remove the file: then a new one is made, which clients have to be told`);
}

async function openTokenKey(path: string): Promise<string> {
  const pem = await openPrivate(path, createSigningKeyPem);
  try {
    checkSigningKey(pem);
  } catch (cause) {
    const remedy = 'put it back, or remove the file: then a new one is made, and tokens that the old one has signed count no more';
    throw new Error(`${path} holds no key that signs tokens of service accounts (${failureText(cause)}): ${remedy}`, { cause });
  }
  return pem;
}

async function openCertificates(pki: string, names: readonly string[], nowMs: number): Promise<Pick<IdentityFiles, 'authority' | 'remark' | 'serving' | 'servingAt'>> {
  const authority = await openAuthority(pki, nowMs);
  let current: CertificatePair | undefined;
  const servingAt = async (atMs: number): Promise<CertificatePair> => {
    if (current === undefined || !isServingCertificateGood(authority, current, names, atMs)) current = await openServing(pki, authority, names, atMs);
    return current;
  };
  return { authority, remark: remarkOn(authority, pki, nowMs), serving: await servingAt(nowMs), servingAt };
}

/** An authority is not replaced by itself, as clients have it; that it counts for nobody at present may be because the clock is wrong, now or when it was made. */
function remarkOn({ cert }: CertificatePair, pki: string, nowMs: number): string | undefined {
  const certificate = new X509Certificate(cert);
  if (isInItsTime(certificate, nowMs)) return undefined;
  const { validFrom, validTo } = certificate;
  const path = join(pki, 'ca.crt');
  if (nowMs < Date.parse(validFrom)) return `${path} counts from ${validFrom} on: see to the clock, no client accepts this server until then`;
  return `${path} ended at ${validTo}: no client accepts this server any more. Where the clock is right, remove it and ca.key and start the server anew: then a new authority is made, which clients have to be told`;
}

async function openServing(pki: string, authority: CertificatePair, names: readonly string[], nowMs: number): Promise<CertificatePair> {
  const kept = await readPair(pki, 'apiserver');
  const isGood = kept !== undefined && isServingCertificateGood(authority, kept, names, nowMs);
  return isGood ? kept : writePair(pki, 'apiserver', createServingCertificate(authority, names, nowMs));
}

async function openAuthority(pki: string, nowMs: number): Promise<CertificatePair> {
  const kept = await readPair(pki, 'ca');
  if (kept === undefined) return writePair(pki, 'ca', createAuthority(nowMs));
  try {
    checkAuthority(kept);
  } catch (cause) {
    const remedy = 'put the two that belong together back, or remove both: then a new authority is made, which clients have to be told';
    throw new Error(`${join(pki, 'ca.crt')} and ${join(pki, 'ca.key')} cannot be used: ${failureText(cause)}; ${remedy}`, { cause });
  }
  return kept;
}

/**
 * Writes a file with access for its owner only, atomically and durably: also after a power failure it is complete or unchanged. Where a link leads to
 * it, the link stays. Nothing of a text that could not be written stays: it may be secret.
 */
export async function writePrivate(path: string, text: string): Promise<void> {
  const file = await realpath(path).catch(() => path);
  const unfinished = `${file}.${process.pid}.tmp`;
  try {
    await rm(unfinished, { force: true });
    // A file that is there already, or a link, would be read by whoever has put it there.
    await writeFile(unfinished, text, { mode: 0o600, flush: true, flag: 'wx' });
    await rename(unfinished, file);
  } catch (cause) {
    await rm(unfinished, { force: true }).catch(() => {});
    throw cause;
  }
}

async function openPrivate(path: string, make: () => string): Promise<string> {
  const kept = await readText(path);
  if (kept !== undefined) return kept;
  const text = make();
  await writePrivate(path, text);
  return text;
}

/** Reads `<name>.crt` and `<name>.key` from a folder; undefined where one of them is missing. */
export async function readPair(folder: string, name: string): Promise<CertificatePair | undefined> {
  const [cert, key] = await Promise.all([readText(join(folder, `${name}.crt`)), readText(join(folder, `${name}.key`))]);
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

/**
 * Writes both files with access for their owner only; the folder must exist. The certificate is there only while its key is: whoever is interrupted
 * leaves a pair or none.
 */
export async function writePair(folder: string, name: string, pair: CertificatePair): Promise<CertificatePair> {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  await rm(cert, { force: true });
  await writePrivate(key, pair.key);
  await writePrivate(cert, pair.cert);
  return pair;
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw cause;
  }
}
