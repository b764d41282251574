import { Socket } from 'node:net';
import { Writable, type Duplex } from 'node:stream';
import { clearTimeout, setTimeout } from '#base';

/**
 * Carries bytes both ways until one side ends or breaks; what was read by then is still delivered. Resolves when both connections are closed:
 * neither is left open without the other.
 */
export function joinConnections(one: Duplex, other: Duplex): Promise<void> {
  // What is typed is sent at once, and not kept until it is worth a packet.
  for (const socket of [one, other]) if (socket instanceof Socket) socket.setNoDelay();
  const [near, far] = [oneByOne(one), oneByOne(other)];
  const closed = Promise.all([carry(near, far), carry(far, near)]);
  return closed.then(() => {});
}

interface Side {
  readonly connection: Duplex;
  /** Takes what is written to the connection. */
  readonly writer: Writable;
}

/**
 * Each chunk is written when the one before it is gone; the connection would send what waits as one, and over TLS a record stays a record this way.
 * Clients that wait at the socket for each message of WebSocket never see the second one of a record: it was read with the first.
 */
function oneByOne(connection: Duplex): Side {
  const writer = new Writable({ write: (chunk: Buffer, _encoding, done) => void connection.write(chunk, done) });
  // The connection tells of it as well, and is destroyed.
  writer.on('error', () => {});
  return { connection, writer };
}

/** From `source` to `target`. Resolves when the source is closed. */
function carry(source: Side, target: Side): Promise<void> {
  const { connection } = source;
  return new Promise((resolve) => {
    if (connection.destroyed) {
      target.connection.destroy();
      return resolve();
    }
    connection.on('error', () => connection.destroy());
    connection.once('end', () => {
      // Half-closed connections have no meaning to either side: the answer to an end is an end.
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

/** How long the last bytes may take to be fetched by the other side. */
const LAST_BYTES_MS = 5_000;

function endSoon({ connection, writer }: Side): void {
  if (connection.destroyed || writer.writableEnded) return;
  const timer = setTimeout(() => connection.destroy(), LAST_BYTES_MS).unref();
  connection.once('close', () => clearTimeout(timer));
  writer.end(() => connection.end(() => connection.destroy()));
}
