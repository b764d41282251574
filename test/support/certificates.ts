// Certificates for servers that tests run, made on the spot by an authority of their own.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 24 * 3600 * 1000;
x509.cryptoProvider.set(webcrypto as never);

/** PEM texts. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

export interface Authority {
  readonly cert: string;
  /** For DNS names and IP addresses. `organizations` go into the subject. */
  issue(commonName: string, names: readonly string[], organizations?: readonly string[]): Promise<Pair>;
}

const newKeys = (): Promise<x509Keys> => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']) as Promise<x509Keys>;
type x509Keys = Awaited<ReturnType<typeof webcrypto.subtle.generateKey>> & { publicKey: never; privateKey: never };

async function keyText(key: never): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return `-----BEGIN PRIVATE KEY-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`;
}

export async function newAuthority(name = 'test authority'): Promise<Authority> {
  const keys = await newKeys();
  const [notBefore, notAfter] = [new Date(Date.now() - DAY_MS), new Date(Date.now() + 30 * DAY_MS)];
  const own = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: `CN=${name}`,
    notBefore,
    notAfter,
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  let serial = 1;
  return {
    cert: `${own.toString('pem')}\n`,
    async issue(commonName, names, organizations = []) {
      const theirs = await newKeys();
      const alternatives = names.map((value) => ({ type: /^[\d.]+$|:/.test(value) ? ('ip' as const) : ('dns' as const), value }));
      const cert = await x509.X509CertificateGenerator.create({
        serialNumber: String(++serial).padStart(2, '0'),
        subject: [`CN=${commonName}`, ...organizations.map((one) => `O=${one}`)].join(', '),
        issuer: own.subject,
        notBefore,
        notAfter,
        signingAlgorithm: ALGORITHM,
        publicKey: theirs.publicKey,
        signingKey: keys.privateKey,
        extensions: alternatives.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(alternatives)],
      });
      return { cert: `${cert.toString('pem')}\n`, key: await keyText(theirs.privateKey) };
    },
  };
}
