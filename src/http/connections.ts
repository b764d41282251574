import type { ServerHttp2Session } from 'node:http2';
import type { Server, Socket } from 'node:net';

/** One HTTP/1.1 connection; `active` counts its requests that are not answered yet. */
export interface Http1Connection {
  readonly socket: Socket;
  active: number;
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

  addHttp1(socket: Socket): Http1Connection {
    const connection = { socket, active: 0 };
    this.http1.add(connection);
    socket.once('close', () => this.http1.delete(connection));
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
    for (const { socket, active } of this.http1) if (active === 0 && socket.writableLength === 0) socket.destroy();
  }

  /** Closes all connections at once. Connections still in their TLS handshake are known only by their raw socket. */
  destroyAll(): void {
    for (const session of this.sessions) session.destroy();
    for (const { socket } of this.http1) socket.destroy();
    for (const socket of this.raw) socket.destroy();
  }
}
