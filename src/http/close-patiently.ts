import type { Socket } from 'node:net';
import { clearTimeout, setTimeout } from '#base';

/**
 * Lets a connection that is to be closed stay for a while, in which its client may go on to send a body that nobody reads. Closed at once it would be
 * reset by the system, and the client, which notices that first, might never read the answer.
 */
export function closePatiently(socket: Socket, forMs: number): void {
  socket.destroySoon = () => {
    socket.destroySoon = ignore;
    socket.end(() => awaitOtherEnd(socket, forMs));
  };
}

/**
 * Closes a connection whose sending side has ended here where its client does not end the other one in time: it may never do so, and may go on sending.
 */
export function awaitOtherEnd(socket: Socket, forMs: number): void {
  if (socket.destroyed) return;
  const timer = setTimeout(() => socket.destroy(), forMs).unref();
  socket.once('close', () => clearTimeout(timer));
}

const ignore = (): void => {};
