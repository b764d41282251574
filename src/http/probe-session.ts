import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { clearInterval, setInterval } from '#base';
import { unlessReadNow } from './late-sockets.ts';

/**
 * Sends a PING to a client from which nothing came for `probeAfterMs`, and closes the connection where nothing comes for as long again. Node stops
 * reading from a session while it writes, and loses some failures of a write over TLS: it never learns that such a client is gone, and with the session
 * all of its requests would stay.
 */
export function probeSession(session: ServerHttp2Session, socket: Socket, probeAfterMs: number): void {
  let bytesRead = 0;
  let isAsked = false;
  const timer = setInterval(() => {
    const isSilent = socket.bytesRead === bytesRead;
    if (isSilent && isAsked) return unlessReadNow(socket, () => socket.destroy());
    bytesRead = socket.bytesRead;
    isAsked = isSilent;
    if (isSilent && !session.destroyed) session.ping(ignore);
  }, probeAfterMs).unref();
  session.once('close', () => clearInterval(timer));
}

/** The answer counts as bytes that were read. */
const ignore = (): void => {};
