// Certificates for tests, made on the spot.
import 'reflect-metadata';
import { generateKeyPairSync, randomBytes, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** PEM texts. */
export interface MadePair {
  readonly cert: string;
  readonly key: string;
}

export interface Wanted {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** Default `client`; `none`: the certificate does not say what it is for. */
  readonly usage?: 'client' | 'server' | 'none';
  /** From now; default a day. Negative: it has ended. */
  readonly lifeMs?: number;
  /** From now; default two days ago. Positive: it has not begun. */
  readonly startsMs?: number;
}

export interface MadeAuthority {
  readonly cert: string;
  issue(wanted: Wanted): Promise<MadePair>;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 24 * 3600 * 1000;

/** Authorities may have the same name and still be two. */
export async function makeAuthority(name: string): Promise<MadeAuthority> {
  const keys = newKeys();
  const publicKey = await importPublic(keys.publicPem);
  const own = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: serial(),
      name: `CN=${name}`,
      ...times(DAY_MS),
      signingAlgorithm: ALGORITHM,
      keys: { publicKey, privateKey: await importPrivate(keys.privatePem) },
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
        await x509.SubjectKeyIdentifierExtension.create(publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
  return {
    cert: own.toString('pem'),
    async issue({ commonName, organizations = [], usage = 'client', lifeMs = DAY_MS, startsMs = STARTED_MS }) {
      const subject = newKeys();
      const usages = { client: [x509.ExtendedKeyUsage.clientAuth], server: [x509.ExtendedKeyUsage.serverAuth], none: [] }[usage];
      const names = new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }, { type: 'ip', value: '127.0.0.1' }]);
      const cert = await x509.X509CertificateGenerator.create(
        {
          serialNumber: serial(),
          subject: [...organizations.map((one) => `O=${one}`), `CN=${commonName}`].join(', '),
          issuer: own.subject,
          ...times(lifeMs, startsMs),
          signingAlgorithm: ALGORITHM,
          publicKey: await importPublic(subject.publicPem),
          signingKey: await importPrivate(keys.privatePem),
          extensions: [
            ...(usages.length === 0 ? [] : [new x509.ExtendedKeyUsageExtension(usages)]),
            await x509.AuthorityKeyIdentifierExtension.create(publicKey, false, webcrypto),
            names,
          ],
        },
        webcrypto,
      );
      return { cert: cert.toString('pem'), key: subject.privatePem };
    },
  };
}

const STARTED_MS = -2 * DAY_MS;

/** Both from now. */
const times = (lifeMs: number, startsMs = STARTED_MS): { notBefore: Date; notAfter: Date } => ({
  notBefore: new Date(Date.now() + startsMs),
  notAfter: new Date(Date.now() + lifeMs),
});

const serial = (): string => `40${randomBytes(8).toString('hex')}`;

function newKeys(): { readonly publicPem: string; readonly privatePem: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

type Key = Awaited<ReturnType<typeof webcrypto.subtle.importKey>>;

const der = (pem: string): Buffer => Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
const importPublic = (pem: string): Promise<Key> => webcrypto.subtle.importKey('spki', der(pem), ALGORITHM, true, ['verify']);
const importPrivate = (pem: string): Promise<Key> => webcrypto.subtle.importKey('pkcs8', der(pem), ALGORITHM, true, ['sign']);
