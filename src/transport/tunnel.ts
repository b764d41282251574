import { Socket } from 'node:net';
import { Writable, type Duplex } from 'node:stream';
import { clearTimeout, setTimeout } from '#base';

/**
 * Copies bytes both ways until one side ends or fails; what was read by then is still delivered. Resolves when both connections are closed: neither
 * stays open without the other.
 */
export function joinConnections(one: Duplex, other: Duplex): Promise<void> {
  // No Nagle delay: interactive input is sent at once.
  for (const socket of [one, other]) if (socket instanceof Socket) socket.setNoDelay();
  const [near, far] = [oneByOne(one), oneByOne(other)];
  const closed = Promise.all([carry(near, far), carry(far, near)]);
  return closed.then(() => {});
}

interface Side {
  readonly connection: Duplex;
  /** Writes to the connection. */
  readonly writer: Writable;
}

/**
 * Writes each chunk only when the one before it has been sent: the connection would otherwise join waiting chunks, and over TLS each record should
 * stay one. Clients that wait on the socket for each WebSocket message never see the second message of a record, because it was read with the first.
 */
function oneByOne(connection: Duplex): Side {
  const writer = new Writable({ write: (chunk: Buffer, _encoding, done) => void connection.write(chunk, done) });
  // The connection reports the same error, and is destroyed.
  writer.on('error', () => {});
  return { connection, writer };
}

/** Copies from `source` to `target`. Resolves when the source is closed. */
function carry(source: Side, target: Side): Promise<void> {
  const { connection } = source;
  return new Promise((resolve) => {
    if (connection.destroyed) {
      target.connection.destroy();
      return resolve();
    }
    connection.on('error', () => connection.destroy());
    connection.once('end', () => {
      // Neither side uses half-closed connections: an end is answered with an end.
      target.connection.unpipe(source.writer);
      endSoon(source);
      endSoon(target);
    });
    connection.once('close', () => {
      endSoon(target);
      resolve();
    });
    connection.pipe(target.writer, { end: false });
  });
}

/** How long the other side may take to read the last bytes. */
const LAST_BYTES_MS = 5_000;

function endSoon({ connection, writer }: Side): void {
  if (connection.destroyed || writer.writableEnded) return;
  const timer = setTimeout(() => connection.destroy(), LAST_BYTES_MS).unref();
  connection.once('close', () => clearTimeout(timer));
  writer.end(() => connection.end(() => connection.destroy()));
}
