import { createPrivateKey, generateKeyPairSync, randomBytes, webcrypto, X509Certificate, type KeyObject } from 'node:crypto';
import { networkInterfaces, hostname } from 'node:os';

/** PEM texts. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 24 * 3600 * 1000;
const CA_DAYS = 3650;
const SERVING_DAYS = 365;
/** A certificate this close to its end is replaced at start. */
const RENEW_DAYS = 30;

/** A new certificate authority for one server. */
export async function createAuthority(nowMs: number): Promise<CertificatePair> {
  const { x509, provider } = await loadX509();
  const keys = newKeys();
  const imported = await importKeys(keys);
  const cert = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: newSerial(),
      name: `CN=orch-ca@${Math.floor(nowMs / 1000)}`,
      notBefore: new Date(nowMs - DAY_MS),
      notAfter: new Date(nowMs + CA_DAYS * DAY_MS),
      signingAlgorithm: ALGORITHM,
      keys: imported,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.cRLSign, true),
        await x509.SubjectKeyIdentifierExtension.create(imported.publicKey, false, provider),
      ],
    },
    provider,
  );
  return { cert: `${cert.toString('pem')}\n`, key: keyText(keys.privateKey) };
}

/** A serving certificate for the names and addresses of this machine and `extraNames`. */
export async function createServingCertificate(authority: CertificatePair, extraNames: readonly string[], nowMs: number): Promise<CertificatePair> {
  const { x509, provider } = await loadX509();
  const keys = newKeys();
  const issuer = new x509.X509Certificate(authority.cert);
  const cert = await x509.X509CertificateGenerator.create(
    {
      serialNumber: newSerial(),
      subject: 'CN=orch-apiserver',
      issuer: issuer.subject,
      notBefore: new Date(nowMs - DAY_MS),
      notAfter: new Date(nowMs + SERVING_DAYS * DAY_MS),
      signingAlgorithm: ALGORITHM,
      publicKey: (await importKeys(keys)).publicKey,
      signingKey: await importPrivate(createPrivateKey(authority.key)),
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey, false, provider),
        new x509.SubjectAlternativeNameExtension(alternativeNames(extraNames)),
      ],
    },
    provider,
  );
  return { cert: `${cert.toString('pem')}\n`, key: keyText(keys.privateKey) };
}

/** Whether a serving certificate still fits its authority and will for a while. */
export function isServingCertificateGood(authority: CertificatePair, serving: CertificatePair, nowMs: number): boolean {
  const cert = new X509Certificate(serving.cert);
  return cert.verify(new X509Certificate(authority.cert).publicKey) && Date.parse(cert.validTo) - nowMs > RENEW_DAYS * DAY_MS;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Loaded only when a certificate has to be made: it takes longer than the rest of the start. */
async function loadX509(): Promise<{ readonly x509: typeof import('@peculiar/x509'); readonly provider: typeof webcrypto }> {
  await import('reflect-metadata');
  return { x509: await import('@peculiar/x509'), provider: webcrypto };
}

const newKeys = (): { publicKey: KeyObject; privateKey: KeyObject } => generateKeyPairSync('ec', { namedCurve: 'P-256' });

const keyText = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Positive, as RFC 5280 wants it. */
function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

type Key = Awaited<ReturnType<typeof webcrypto.subtle.importKey>>;

const importPrivate = (key: KeyObject): Promise<Key> =>
  webcrypto.subtle.importKey('pkcs8', key.export({ type: 'pkcs8', format: 'der' }), ALGORITHM, true, ['sign']);

async function importKeys(keys: { publicKey: KeyObject; privateKey: KeyObject }): Promise<{ publicKey: Key; privateKey: Key }> {
  const publicKey = await webcrypto.subtle.importKey('spki', keys.publicKey.export({ type: 'spki', format: 'der' }), ALGORITHM, true, ['verify']);
  return { publicKey, privateKey: await importPrivate(keys.privateKey) };
}

function alternativeNames(extra: readonly string[]): { type: 'dns' | 'ip'; value: string }[] {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));
  const all = new Set(['localhost', hostname(), '127.0.0.1', '::1', ...own, ...extra]);
  return [...all].filter((name) => !name.includes('%')).map((value) => ({ type: isAddress(value) ? 'ip' : 'dns', value }));
}

const isAddress = (text: string): boolean => text.includes(':') || /^\d+\.\d+\.\d+\.\d+$/.test(text);
