import { X509Certificate } from 'node:crypto';
import type { SecureContext } from 'node:tls';

/** PEM texts, and whom they are for. */
export interface NamedPair {
  readonly cert: string;
  readonly key: string;
  /** Names of hosts; a star stands for one label. Default: those in the certificate. */
  readonly names?: readonly string[];
}

/** Certificates by the name of the server that a client asks for. */
export class NamedCertificates {
  readonly #contexts = new Map<string, SecureContext>();

  constructor(pairs: readonly NamedPair[], open: (pair: Pick<NamedPair, 'cert' | 'key'>) => SecureContext) {
    for (const { cert, key, names = [] } of pairs) {
      const context = open({ cert, key });
      for (const name of names.length > 0 ? names : namesIn(cert)) {
        const plain = normal(name);
        if (!this.#contexts.has(plain)) this.#contexts.set(plain, context);
      }
    }
  }

  /** undefined: the certificate for everybody. */
  contextFor(name: string): SecureContext | undefined {
    if (this.#contexts.size === 0) return undefined;
    const exact = normal(name);
    const labels = exact.split('.');
    // From `a.b.c` to `*.b.c`, `*.*.c` and on; names of hosts are 253 characters at most.
    let [found, at] = [this.#contexts.get(exact), 0];
    while (found === undefined && at < labels.length && exact.length <= MAX_NAME) {
      labels[at++] = '*';
      found = this.#contexts.get(labels.join('.'));
    }
    return found;
  }
}

const MAX_NAME = 253;

const normal = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** The names a certificate is for; its common name where there are no others. */
function namesIn(pem: string): readonly string[] {
  // Absent in certificates without names, whatever its type says.
  const { subjectAltName, subject } = new X509Certificate(pem) as { readonly subjectAltName?: string; readonly subject?: string };
  const names = (subjectAltName ?? '').split(', ').flatMap((name) => (name.startsWith('DNS:') ? [name.slice('DNS:'.length)] : []));
  if (names.length > 0) return names;
  const [, common] = /^CN=(.+)$/m.exec(subject ?? '') ?? [];
  return common === undefined ? [] : [common];
}
