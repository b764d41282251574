import type { Socket } from 'node:net';
import { serverNameIn } from './server-name.ts';

/**
 * Reads from a new connection until it is known which server name its client asks for, and puts back what was read. `heard` is not called for
 * connections that are closed before.
 */
export function hearServerName(socket: Socket, heard: (name: string | undefined) => void): void {
  let bytes: Buffer = Buffer.alloc(0);
  const listen = (chunk: Buffer): void => {
    bytes = Buffer.concat([bytes, chunk]);
    const asked = serverNameIn(bytes);
    if (asked === undefined) return;
    socket.off('data', listen).pause().unshift(bytes);
    heard(asked.name);
    socket.off('error', ignore);
  };
  // Errors close the socket, and nobody else listens yet.
  const ignore = (): void => {};
  socket.on('error', ignore).on('data', listen);
}
