import type { Server, Socket } from 'node:net';

/**
 * Calls `isLate` when a socket may be too late, `cut` when it is. Timers come before sockets in a turn of the event loop: after a turn that took
 * long, what a client sent in time still waits to be read. It is read first.
 */
export function unlessReadNow(socket: Socket, cut: () => void): void {
  const { bytesRead } = socket;
  setImmediate(() => {
    if (socket.bytesRead === bytesRead) cut();
  });
}

/** Cuts off connections of a TLS server whose clients send nothing for `timeoutMs` before their handshake is complete. */
export function timeHandshakes(server: Server, timeoutMs: number): void {
  const timers = new Map<string, NodeJS.Timeout>();
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    let bytesRead = 0;
    const look = (): void => {
      // Slow is not silent.
      if (socket.bytesRead > bytesRead) {
        bytesRead = socket.bytesRead;
        timer.refresh();
      } else unlessReadNow(socket, () => timers.get(peer) === timer && socket.destroy());
    };
    const timer = setTimeout(look, timeoutMs).unref();
    timers.set(peer, timer);
    socket.once('close', () => end(peer, timer));
  });
  const end = (peer: string, timer: NodeJS.Timeout | undefined): void => {
    clearTimeout(timer);
    if (timers.get(peer) === timer) timers.delete(peer);
  };
  server.on('secureConnection', (socket: Socket) => {
    const peer = peerOf(socket);
    end(peer, timers.get(peer));
  });
}

/** The raw socket and the encrypted one on it are different objects. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
