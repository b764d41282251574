import { once } from 'node:events';
import { connect, createServer as createHttp2Server, type ClientHttp2Session, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/** What becomes of one call on its way to etcd and back. */
export interface Fate {
  /** etcd never hears of it. */
  readonly isSwallowed?: boolean;
  /** Each piece of the answer, as it goes on; undefined: it does not. `'end'`: nothing more of this answer is told, not even its end. */
  answer?(piece: Buffer, stream: ServerHttp2Stream): Buffer | undefined | 'end';
  /** What stands at the end of the answer instead. */
  readonly trailers?: Readonly<Record<string, string>>;
}

export const TXN = '/etcdserverpb.KV/Txn';
export const WATCH = '/etcdserverpb.Watch/Watch';

/** Speaks HTTP/2 with a server and with etcd, and decides call by call what gets through: the connection itself lives, unless the test says so. */
export class StreamProxy {
  readonly #target: string;
  readonly #sockets = new Set<Socket>();
  readonly #http2 = createHttp2Server();
  readonly #tcp = createServer((socket) => this.#accept(socket));
  #far: ClientHttp2Session | undefined;
  /** What becomes of the calls of a path; absent: they get through. */
  fate: (path: string) => Fate | undefined = () => undefined;
  /** Connections are accepted and nothing is ever said on them. */
  isMute = false;
  address = '';

  private constructor(target: string) {
    this.#target = target;
    this.#http2.on('session', (session) => session.on('error', () => {}));
    this.#http2.on('stream', (stream, headers) => this.#carry(stream, headers));
  }

  static async to(target: string): Promise<StreamProxy> {
    const proxy = new StreamProxy(target);
    proxy.#tcp.listen(0, '127.0.0.1');
    await once(proxy.#tcp, 'listening');
    proxy.address = `127.0.0.1:${(proxy.#tcp.address() as AddressInfo).port}`;
    return proxy;
  }

  cutConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cutConnections();
    this.#far?.destroy();
    this.#tcp.close();
    await once(this.#tcp, 'close');
  }

  /** The next connection that somebody makes. */
  async connected(): Promise<void> {
    await once(this.#tcp, 'connection');
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
    if (!this.isMute) this.#http2.emit('connection', socket);
  }

  #carry(near: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const path = String(headers[':path']);
    const { isSwallowed = false, answer = same, trailers } = this.fate(path) ?? {};
    near.on('error', () => {});
    if (isSwallowed) return void near.resume();
    const far = this.#reach().request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' });
    let isOver = false;
    let last: Readonly<Record<string, string>> = {};
    far.on('error', () => near.close());
    near.on('close', () => far.close());
    near.pipe(far);
    near.on('wantTrailers', () => near.sendTrailers(trailers ?? last));
    far.on('response', (head, flags) => {
      const isLast = (flags & 1) === 1;
      if (!near.closed) near.respond({ ':status': head[':status'], 'content-type': 'application/grpc', ...(isLast ? statusIn(head) : {}) }, isLast ? { endStream: true } : { waitForTrailers: true });
    });
    far.on('trailers', (told) => (last = statusIn(told)));
    far.on('data', (piece: Buffer) => {
      if (isOver || near.closed) return;
      const passed = answer(piece, near);
      if (passed === 'end') isOver = true;
      else if (passed !== undefined) near.write(passed);
    });
    far.on('end', () => {
      if (!isOver && !near.closed) near.end();
    });
  }

  #reach(): ClientHttp2Session {
    if (this.#far === undefined || this.#far.closed || this.#far.destroyed) this.#far = connect(`http://${this.#target}`).on('error', () => {});
    return this.#far;
  }
}

const same = (piece: Buffer): Buffer => piece;

const statusIn = (headers: IncomingHttpHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('grpc-')).map(([name, value]) => [name, String(value)]));
