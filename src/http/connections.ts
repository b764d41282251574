import type { ServerHttp2Session } from 'node:http2';
import type { Server, Socket } from 'node:net';
import { IdleTime } from './idle-time.ts';
import { unlessReadNow } from './late-sockets.ts';
import type { ConnectionLimits } from './limits.ts';
import type { ResponseWriter } from './response-writer.ts';

type Http1Limits = Pick<ConnectionLimits, 'headersTimeoutMs' | 'idleTimeoutMs' | 'maxWaiting'>;

/** One HTTP/1.1 connection. Its requests begin through it; it closes itself when none came for the idle timeout. */
export class Http1Connection {
  readonly socket: Socket;
  readonly #idle: IdleTime;
  /** How many bytes had been read when the last request ended, or when further ones were found. */
  #readBytes: number;
  /** When further ones were found first: they may be the head of another request, which has a timeout of its own. */
  #foundAtMs: number | undefined = undefined;
  readonly #maxWaiting: number;
  /** The answer to a request has not left yet. */
  #isBusy = false;
  #wasAsked = false;
  readonly #waiting: (() => void)[] = [];

  constructor(socket: Socket, { headersTimeoutMs, idleTimeoutMs, maxWaiting }: Http1Limits) {
    this.socket = socket;
    this.#maxWaiting = maxWaiting;
    this.#readBytes = socket.bytesRead;
    this.#idle = new IdleTime(idleTimeoutMs, () => {
      if (this.isIdle && !this.#mayHaveBegun(headersTimeoutMs)) unlessReadNow(socket, () => socket.destroy());
    });
    socket.once('close', () => this.#idle.end());
  }

  /** It has no request in progress and no response bytes left to write. */
  get isIdle(): boolean {
    return this.#idle.isIdle && this.socket.writableLength === 0;
  }

  /** It is idle, and nothing has come over it since its last request. A client that keeps such a connection has to expect its end at any time. */
  get isAtRest(): boolean {
    return this.isIdle && this.#wasAsked && this.socket.bytesRead === this.#readBytes;
  }

  /**
   * Calls `answer`, which must not reject, once the answers to all earlier requests have left; never where the connection ends before. A client may
   * send requests without waiting for answers, and counts on it that each finds what those before it have done (RFC 9112, section 9.3.2). It may not
   * have many of them worked on, and their answers kept, at a time.
   */
  request(exchange: Pick<ResponseWriter, 'onFinish'>, answer: () => Promise<void>): void {
    // Behind the last answer of a connection nothing is done: nobody would learn of it.
    if (!this.socket.writable) return;
    this.#wasAsked = true;
    this.#idle.requestOpened();
    const begin = (): void => {
      exchange.onFinish(() => this.#goOn());
      void answer().then(() => {
        this.#idle.requestClosed();
        this.#readBytes = this.socket.bytesRead;
        this.#foundAtMs = undefined;
      });
    };
    if (!this.#isBusy) {
      this.#isBusy = true;
      begin();
    } else if (this.#waiting.push(begin) > this.#maxWaiting) {
      this.socket.destroy();
    }
  }

  /**
   * Whether the head of another request may be on its way. Else what has come is an empty line, or the rest of a body that nobody read: however often
   * it comes, the connection is spared once.
   */
  #mayHaveBegun(headersTimeoutMs: number): boolean {
    const { bytesRead } = this.socket;
    if (bytesRead !== this.#readBytes) this.#foundAtMs ??= performance.now();
    this.#readBytes = bytesRead;
    return this.#foundAtMs !== undefined && performance.now() - this.#foundAtMs < headersTimeoutMs;
  }

  #goOn(): void {
    const next = this.#waiting.shift();
    this.#isBusy = next !== undefined;
    if (next !== undefined && this.socket.writable) next();
  }
}

/** The open connections of one listener, and the ways to close them. */
export class Connections {
  readonly raw = new Set<Socket>();
  readonly http1 = new Set<Http1Connection>();
  readonly sessions = new Map<ServerHttp2Session, Socket>();

  constructor(front: Server) {
    front.on('connection', (socket: Socket) => {
      this.raw.add(socket);
      socket.once('close', () => this.raw.delete(socket));
    });
  }

  addHttp1(socket: Socket, limits: Http1Limits): Http1Connection {
    const connection = new Http1Connection(socket, limits);
    this.http1.add(connection);
    socket.once('close', () => this.http1.delete(connection));
    return connection;
  }

  addSession(session: ServerHttp2Session, socket: Socket): void {
    this.sessions.set(session, socket);
    session.once('close', () => this.sessions.delete(session));
  }

  /** Sends GOAWAY on every HTTP/2 session; open streams go on. */
  endSessions(): void {
    for (const session of this.sessions.keys()) session.close();
  }

  /** Closes the HTTP/1.1 connections that are at rest. */
  destroyAtRest(): void {
    for (const connection of this.http1) if (connection.isAtRest) connection.socket.destroy();
  }

  /** Closes the HTTP/1.1 connections that are idle, and those of sessions that have ended: their clients may never close them. */
  destroyIdle(): void {
    for (const { isIdle, socket } of this.http1) if (isIdle) unlessReadNow(socket, () => socket.destroy());
    for (const [session, socket] of this.sessions) if (session.destroyed && socket.writableLength === 0) socket.destroy();
  }

  /** Closes all connections at once. Connections still in their TLS handshake are known only by their raw socket. */
  destroyAll(): void {
    for (const session of this.sessions.keys()) session.destroy();
    for (const { socket } of this.http1) socket.destroy();
    for (const socket of this.raw) socket.destroy();
  }
}
