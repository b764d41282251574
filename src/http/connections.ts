import type { ServerHttp2Session } from 'node:http2';
import type { Server, Socket } from 'node:net';

/** One HTTP/1.1 connection: how many of its requests are being answered. */
export interface Http1Connection {
  readonly socket: Socket;
  active: number;
}

/** All that is open at one listener, and how it is brought to an end. */
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

  /** HTTP/2: GOAWAY, running streams go on. */
  endSessions(): void {
    for (const session of this.sessions) session.close();
  }

  /** HTTP/1.1 connections on which nothing is being answered, and no answer is still on its way. */
  destroyQuiet(): void {
    for (const { socket, active } of this.http1) if (active === 0 && socket.writableLength === 0) socket.destroy();
  }

  /** Everything, now. Connections still in their handshake are known only by their raw socket. */
  destroyAll(): void {
    for (const session of this.sessions) session.destroy();
    for (const { socket } of this.http1) socket.destroy();
    for (const socket of this.raw) socket.destroy();
  }
}
