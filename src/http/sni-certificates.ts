import { X509Certificate } from 'node:crypto';

/** A certificate and its key (PEM texts), and the host names they serve. */
export interface SniCertificate {
  readonly cert: string;
  readonly key: string;
  /** Host names; `*` stands for one label. Default: the names in the certificate. */
  readonly names?: readonly string[];
}

/** Selects what `open` made of a certificate by the server name (SNI) that a client requests. */
export class SniCertificates<Opened> {
  readonly #opened = new Map<string, Opened>();

  constructor(pairs: readonly SniCertificate[], open: (pair: Pick<SniCertificate, 'cert' | 'key'>) => Opened) {
    for (const { cert, key, names = [] } of pairs) {
      const opened = open({ cert, key });
      for (const name of names.length > 0 ? names : namesIn(cert)) {
        const plain = normal(name);
        if (!this.#opened.has(plain)) this.#opened.set(plain, opened);
      }
    }
  }

  get isEmpty(): boolean {
    return this.#opened.size === 0;
  }

  /** For a server name; undefined: the listener's default certificate. */
  get(name: string): Opened | undefined {
    const exact = normal(name);
    const labels = exact.split('.');
    // From `a.b.c` to `*.b.c`, `*.*.c` and on; host names have at most 253 characters.
    let [found, at] = [this.#opened.get(exact), 0];
    while (found === undefined && at < labels.length && exact.length <= MAX_NAME) {
      labels[at++] = '*';
      found = this.#opened.get(labels.join('.'));
    }
    return found;
  }
}

const MAX_NAME = 253;

const normal = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** The DNS names of a certificate; its common name where it has none. */
function namesIn(pem: string): readonly string[] {
  // Undefined in certificates without alternative names, whatever its type says.
  const { subjectAltName, subject } = new X509Certificate(pem) as { readonly subjectAltName?: string; readonly subject?: string };
  const names = (subjectAltName ?? '').split(', ').flatMap((name) => (name.startsWith('DNS:') ? [name.slice('DNS:'.length)] : []));
  if (names.length > 0) return names;
  const [, common] = /^CN=(.+)$/m.exec(subject ?? '') ?? [];
  return common === undefined ? [] : [common];
}
