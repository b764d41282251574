/** Clients that read long lists, each at its own speed. Forked, so that they do not hold up who measures; tells what was read when asked. */
import { connect, type TLSSocket } from 'node:tls';
import { TOKEN } from './load.ts';

/** So many clients of the same habits. */
export interface Readers {
  readonly count: number;
  readonly path: string;
  readonly accept: string;
  readonly takesGzip: boolean;
  /** Of each. Infinity does not travel between processes: absent means as fast as it can. 0: stands still after the first piece. */
  readonly bytesPerSecond?: number;
}

export interface ReadersOrder {
  readonly port: number;
  readonly readers: readonly Readers[];
}

export interface ReadSoFar {
  readonly bytes: number;
  /** Answers that came to their end. */
  readonly whole: number;
  /** Status codes other than 200, and connections that broke. */
  readonly failures: Readonly<Record<string, number>>;
}

const EVERY_MS = 50;
const seen = { bytes: 0, whole: 0, failures: {} as Record<string, number> };
const opened: Reader[] = [];

class Reader {
  readonly #socket: TLSSocket;
  readonly #bytesPerSecond: number;
  #allowed: number;
  #isBegun = false;
  #isOver = false;

  constructor(port: number, { path, accept, takesGzip, bytesPerSecond = Infinity }: Readers) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#allowed = bytesPerSecond === Infinity ? Infinity : 1;
    const gzip = takesGzip ? 'Accept-Encoding: gzip\r\n' : '';
    this.#socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }, () => {
      this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nAccept: ${accept}\r\n${gzip}Connection: close\r\n\r\n`);
    });
    this.#socket.on('error', () => {});
    this.#socket.on('data', (bytes: Buffer) => this.#take(bytes));
    this.#socket.on('end', () => this.#finish('whole'));
    this.#socket.on('close', () => this.#finish('broken'));
  }

  /** Time passes. */
  step(): void {
    this.#allowed += (this.#bytesPerSecond * EVERY_MS) / 1000;
    if (this.#allowed > 0) this.#socket.resume();
  }

  #take(bytes: Buffer): void {
    if (!this.#isBegun && bytes.toString('latin1', 9, 12) !== '200') count(bytes.toString('latin1', 9, 12));
    this.#isBegun = true;
    seen.bytes += bytes.length;
    this.#allowed -= bytes.length;
    if (this.#allowed <= 0) this.#socket.pause();
  }

  #finish(how: 'whole' | 'broken'): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (how === 'whole') seen.whole += 1;
    else count(how);
  }
}

const count = (failure: string): void => void (seen.failures[failure] = (seen.failures[failure] ?? 0) + 1);

process.on('message', (order: ReadersOrder | 'tell') => {
  if (order === 'tell') return void process.send?.(seen satisfies ReadSoFar);
  for (const readers of order.readers) for (let at = 0; at < readers.count; at++) opened.push(new Reader(order.port, readers));
  setInterval(() => {
    for (const reader of opened) reader.step();
  }, EVERY_MS);
});
