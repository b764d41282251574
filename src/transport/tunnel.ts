import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * Carries bytes both ways until one side ends or breaks; what was read by then is still delivered. Resolves when both connections are closed:
 * neither is left open without the other.
 */
export function joinConnections(one: Duplex, other: Duplex): Promise<void> {
  // What is typed is sent at once, and not kept until it is worth a packet.
  for (const socket of [one, other]) if (socket instanceof Socket) socket.setNoDelay();
  const closed = Promise.all([carry(one, other), carry(other, one)]);
  return closed.then(() => {});
}

/** From `source` to `target`. Resolves when the source is closed. */
function carry(source: Duplex, target: Duplex): Promise<void> {
  return new Promise((resolve) => {
    if (source.destroyed) {
      target.destroy();
      return resolve();
    }
    source.on('error', () => source.destroy());
    source.once('end', () => {
      // Half-closed connections have no meaning to either side: the answer to an end is an end.
      endSoon(source);
      endSoon(target);
    });
    source.once('close', () => {
      endSoon(target);
      resolve();
    });
    source.pipe(target, { end: false });
  });
}

/** How long the last bytes may take to be fetched by the other side. */
const LAST_BYTES_MS = 5_000;

function endSoon(connection: Duplex): void {
  if (connection.destroyed || connection.writableEnded) return;
  const timer = setTimeout(() => connection.destroy(), LAST_BYTES_MS).unref();
  connection.once('close', () => clearTimeout(timer));
  connection.end(() => connection.destroy());
}
