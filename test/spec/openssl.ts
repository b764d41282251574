// Certificates as OpenSSL makes them: what operators have, and not what our own library would make of it.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';

/** Why tests that need the program are left out; false: it is here. */
export const WITHOUT_OPENSSL: string | false = spawnSync('openssl', ['version']).status === 0 ? false : 'the program openssl is not on this machine';

/** Whether this Node shows a server the certificates that a client shows beside its own; 24.21 and 26.8 do not (nodejs/node#65579). */
export function showsChains(authority: Pair, client: Pair): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer({ cert: authority.cert, key: authority.key, ca: authority.cert, requestCert: true, rejectUnauthorized: false });
    server.on('secureConnection', (socket) => {
      resolve(socket.getPeerX509Certificate()?.issuerCertificate !== undefined);
      socket.destroy();
      server.close();
    });
    server.on('tlsClientError', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...client }).on('error', () => {});
    });
  });
}

/** PEM texts. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** Who can issue; `files`: where they are, without their endings. */
export interface Issuer extends Pair {
  readonly files: string;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'] as const;

/** Keys of other sorts than the usual one, for `issue`. */
export const KEYS = {
  rsa: ['-newkey', 'rsa:2048', '-nodes'],
  p384: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384', '-nodes'],
  ed25519: ['-newkey', 'ed25519', '-nodes'],
} as const;

/** What a certificate is for. */
export const forServer = (name: string): string => `subjectAltName=DNS:${name}\nextendedKeyUsage=serverAuth\n`;
export const FOR_CLIENT = 'extendedKeyUsage=clientAuth\n';
export const FOR_ISSUING = 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n';

/** Makes certificates in a folder of its own. */
export class Workshop {
  readonly #folder = mkdtempSync(join(tmpdir(), 'orch-tls-'));
  #count = 0;

  authority(name: string): Issuer {
    const path = this.#path();
    this.#openssl('req', '-x509', ...NEW_KEY, '-keyout', `${path}.key`, '-out', `${path}.crt`, '-subj', `/CN=${name}`, '-days', '2');
    return { ...this.#read(path), files: path };
  }

  /** `more`: other options for `openssl x509`, instead of a life of two days; `key`: those of `openssl req` for a new key. */
  issue(authority: { readonly files: string }, subject: string, extensions: string, more: readonly string[] = ['-days', '2'], key: readonly string[] = NEW_KEY): Issuer {
    const path = this.#path();
    writeFileSync(`${path}.ext`, extensions);
    this.#openssl('req', '-new', '-utf8', ...key, '-keyout', `${path}.key`, '-out', `${path}.csr`, '-subj', subject);
    const signing = ['-CA', `${authority.files}.crt`, '-CAkey', `${authority.files}.key`, '-CAcreateserial', '-extfile', `${path}.ext`];
    this.#openssl('x509', '-req', '-in', `${path}.csr`, '-out', `${path}.crt`, ...signing, ...more);
    return { ...this.#read(path), files: path };
  }

  close(): void {
    rmSync(this.#folder, { recursive: true });
  }

  #path(): string {
    return join(this.#folder, String(++this.#count));
  }

  #read(path: string): Pair {
    return { cert: readFileSync(`${path}.crt`, 'utf8'), key: readFileSync(`${path}.key`, 'utf8') };
  }

  #openssl(...args: readonly string[]): void {
    execFileSync('openssl', args, { stdio: 'ignore' });
  }
}
