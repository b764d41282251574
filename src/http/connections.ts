import type { ServerHttp2Session } from 'node:http2';
import type { Server, Socket } from 'node:net';
import { IdleTime } from './idle-time.ts';
import { unlessReadNow } from './late-sockets.ts';

/** One HTTP/1.1 connection; `idle` is told of each request and its response. */
export interface Http1Connection {
  readonly socket: Socket;
  readonly idle: IdleTime;
}

/** The open connections of one listener, and the ways to close them. */
export class Connections {
  readonly raw = new Set<Socket>();
  readonly http1 = new Set<Http1Connection>();
  readonly sessions = new Set<ServerHttp2Session>();

  constructor(front: Server) {
    front.on('connection', (socket: Socket) => {
      this.raw.add(socket);
      socket.once('close', () => this.raw.delete(socket));
    });
  }

  addHttp1(socket: Socket, idleTimeoutMs: number): Http1Connection {
    const idle = new IdleTime(idleTimeoutMs, () => {
      // Bytes of a response that are still being taken are no idle time; a client that takes none is cut off by the timeout for that.
      if (socket.writableLength === 0) unlessReadNow(socket, () => socket.destroy());
    });
    const connection = { socket, idle };
    this.http1.add(connection);
    socket.once('close', () => {
      this.http1.delete(connection);
      idle.end();
    });
    return connection;
  }

  addSession(session: ServerHttp2Session): void {
    this.sessions.add(session);
    session.once('close', () => this.sessions.delete(session));
  }

  /** Sends GOAWAY on every HTTP/2 session; open streams go on. */
  endSessions(): void {
    for (const session of this.sessions) session.close();
  }

  /** Closes HTTP/1.1 connections that have no request in progress and no response bytes left to write. */
  destroyIdle(): void {
    for (const { socket, idle } of this.http1) if (idle.isIdle && socket.writableLength === 0) socket.destroy();
  }

  /** Closes all connections at once. Connections still in their TLS handshake are known only by their raw socket. */
  destroyAll(): void {
    for (const session of this.sessions) session.destroy();
    for (const { socket } of this.http1) socket.destroy();
    for (const socket of this.raw) socket.destroy();
  }
}
