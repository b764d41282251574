import type { Server, Socket } from 'node:net';
import { clearTimeout, setImmediate, setTimeout } from '#base';

/**
 * Calls `cut` for a socket whose timeout has expired, unless bytes are read from it before this turn of the event loop ends. Timers run before
 * sockets in a turn: after a long turn, what a client sent in time still waits to be read.
 */
export function unlessReadNow(socket: Socket, cut: () => void): void {
  const { bytesRead } = socket;
  setImmediate(() => {
    if (socket.bytesRead === bytesRead) cut();
  });
}

/** A slow client gets at most this many timeout periods for its handshake, so that it cannot hold a connection by sending byte by byte. */
const SLOW_PERIODS = 3;

/** The connections of a server that are in their TLS handshake. */
export interface Handshakes {
  /** To be called with each socket whose handshake is complete. */
  completed(socket: Socket): void;
  /** The connection below a TLS socket whose handshake has failed; undefined: it is closed, or its handshake was complete. */
  below(socket: Socket): Socket | undefined;
  /** Closes the others. */
  destroyAll(): void;
}

/**
 * Closes connections that a server accepts if their clients send nothing for `timeoutMs` before their TLS handshake is complete, or do not complete
 * it within `SLOW_PERIODS` times as long.
 */
export function timeHandshakes(server: Server, timeoutMs: number): Handshakes {
  const waiting = new Map<string, { readonly socket: Socket; readonly timer: NodeJS.Timeout }>();
  server.on('connection', (socket: Socket) => {
    const ends = endsOf(socket);
    let bytesRead = 0;
    let periods = 1;
    // Bytes that already wait to be read are read first: they may complete the handshake.
    const look = (): void => void setImmediate(() => {
      if (waiting.get(ends)?.timer !== timer) return;
      if (socket.bytesRead === bytesRead || periods === SLOW_PERIODS) return void socket.destroy();
      periods += 1;
      bytesRead = socket.bytesRead;
      timer.refresh();
    });
    const timer = setTimeout(look, timeoutMs).unref();
    waiting.set(ends, { socket, timer });
    socket.once('close', () => end(ends, timer));
  });
  const end = (ends: string, timer: NodeJS.Timeout | undefined): void => {
    clearTimeout(timer);
    if (waiting.get(ends)?.timer === timer) waiting.delete(ends);
  };
  return {
    completed(socket) {
      const ends = endsOf(socket);
      end(ends, waiting.get(ends)?.timer);
    },
    below: (socket) => waiting.get(endsOf(socket))?.socket,
    destroyAll() {
      for (const { socket } of waiting.values()) socket.destroy();
    },
  };
}

/**
 * Identifies a connection by both of its ends: the raw socket and the TLS socket on it are different objects, and a client may connect from one port
 * to several addresses of the server.
 */
const endsOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string => `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
