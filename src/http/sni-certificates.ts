import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate and its key (PEM texts), and the host names they serve. */
export interface SniCertificate {
  readonly cert: string;
  readonly key: string;
  /** Host names, where `*` stands for one label, and addresses of this server. Default: the host names in the certificate. */
  readonly names?: readonly string[];
}

/**
 * Selects what `open` made of a certificate by the server name (SNI) that a client requests. Names that were given count before those that a certificate
 * has, exact ones before those with a star, and the first of several equal ones.
 */
export class SniCertificates<Opened> {
  readonly #opened = new Map<string, Opened>();

  constructor(pairs: readonly SniCertificate[], open: (pair: Pick<SniCertificate, 'cert' | 'key'>) => Opened) {
    const all = pairs.map(({ cert, key, names = [] }) => ({ cert, names, opened: open({ cert, key }) }));
    for (const { names, opened } of all) this.#add(names, opened);
    for (const { cert, names, opened } of all) if (names.length === 0) this.#add(namesIn(cert), opened);
  }

  get isEmpty(): boolean {
    return this.#opened.size === 0;
  }

  /** For a server name, or where none is requested for the address of this server that was called; undefined: the listener's default certificate. */
  get(name: string | undefined, address = ''): Opened | undefined {
    if (name === undefined) return this.#opened.get(address.replace(MAPPED, ''));
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

  #add(names: readonly string[], opened: Opened): void {
    for (const name of names.map(normal)) if (!this.#opened.has(name)) this.#opened.set(name, opened);
  }
}

const MAX_NAME = 253;

/** How sockets of both families write addresses of IPv4. */
const MAPPED = /^::ffff:(?=\d+\.)/i;

const normal = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** The common name of a certificate, where it is a host name, and its DNS names. */
function namesIn(pem: string): readonly string[] {
  // Undefined in certificates without alternative names or subject, whatever their types say.
  const { subjectAltName = '', subject = '' } = new X509Certificate(pem) as { readonly subjectAltName?: string; readonly subject?: string };
  const [, common = ''] = /^CN=(.+)$/m.exec(subject) ?? [];
  const names = subjectAltName.split(', ').flatMap((name) => (name.startsWith('DNS:') ? [name.slice('DNS:'.length)] : []));
  return [...(HOST_NAME.test(common) && isIP(common) === 0 ? [common] : []), ...names];
}

const HOST_NAME = /^(?:\*|(?:\*\.)?[a-z\d](?:[-a-z\d]*[a-z\d])?(?:\.[a-z\d](?:[-a-z\d]*[a-z\d])?)*)$/;
