// The side of WebSocket that accepts a connection, and the channels that agents of nodes carry in it: each message begins with their number.
import { createHash } from 'node:crypto';
import { Duplex, Writable } from 'node:stream';

const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
/** A message on this channel closes the channel that its one byte names. */
const CLOSE_CHANNEL = 255;

/** What agrees to a client's key, as the protocol defines it. */
export const acceptKey = (key: string): string => createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');

export interface Channels {
  /** What the client sends on a channel. */
  readonly incoming: (channel: number) => Duplex;
  readonly outgoing: (channel: number) => Writable;
  /** Says goodbye: the client reads what was sent, and ends the connection. */
  close(): void;
}

/** Takes over a connection that has been agreed on. */
export function serveChannels(socket: Duplex): Channels {
  const streams = new Map<number, Duplex>();
  const incoming = (channel: number): Duplex => {
    const known = streams.get(channel) ?? new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    streams.set(channel, known);
    return known;
  };
  const outgoing = (channel: number): Writable =>
    new Writable({ write: (chunk: Buffer, _encoding, done) => void socket.write(message(BINARY, Buffer.concat([Buffer.of(channel), chunk])), () => done()) });
  const ended = (): void => {
    for (const stream of streams.values()) if (!stream.readableEnded) stream.push(null);
  };
  // A client that leaves without goodbye ends its channels as well: what is still written to it fails.
  void take(socket, incoming).then(ended, () => {
    socket.destroy();
    ended();
  });
  // 1000: all is well.
  return { incoming, outgoing, close: () => void socket.write(message(CLOSE, Buffer.of(0x03, 0xe8))) };
}

async function take(socket: Duplex, incoming: (channel: number) => Duplex): Promise<void> {
  for await (const { kind, content } of messagesOf(socket)) {
    if (kind === PING) socket.write(message(PONG, content));
    else if (kind === CLOSE) return void socket.end();
    else if (kind === BINARY && content[0] === CLOSE_CHANNEL) incoming(content.readUInt8(1)).push(null);
    else if (kind === BINARY && content.length > 1) incoming(content.readUInt8(0)).push(content.subarray(1));
  }
}

function message(kind: number, content: Buffer): Buffer {
  const isShort = content.length < 126;
  const head = Buffer.alloc(isShort ? 2 : 10);
  head.writeUInt8(0x80 | kind, 0);
  head.writeUInt8(isShort ? content.length : 127, 1);
  if (!isShort) head.writeBigUInt64BE(BigInt(content.length), 2);
  return Buffer.concat([head, content]);
}

interface Message {
  readonly kind: number;
  readonly content: Buffer;
}

/** Whole messages: clients may send them in pieces, and mask each. */
async function* messagesOf(socket: Duplex): AsyncGenerator<Message> {
  let held = Buffer.alloc(0);
  let pieces: Message | undefined;
  for await (const chunk of socket) {
    held = Buffer.concat([held, chunk as Buffer]);
    for (let head = headOf(held); head !== undefined && held.length >= head.end; head = headOf(held)) {
      const content = unmasked(held.subarray(head.start, head.end), head.mask);
      held = held.subarray(head.end);
      if (head.kind >= CLOSE) {
        yield { kind: head.kind, content };
        continue;
      }
      pieces = { kind: pieces?.kind ?? head.kind, content: Buffer.concat([pieces?.content ?? Buffer.alloc(0), content]) };
      if (!head.isLast) continue;
      yield pieces;
      pieces = undefined;
    }
  }
}

/** undefined: the rest of it is still to come. */
function headOf(held: Buffer) {
  if (held.length < 2) return undefined;
  const short = held.readUInt8(1) & 0x7f;
  const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
  const start = 2 + lengthBytes + 4;
  if (held.length < start) return undefined;
  const length = lengthBytes === 8 ? Number(held.readBigUInt64BE(2)) : lengthBytes === 2 ? held.readUInt16BE(2) : short;
  return { kind: held.readUInt8(0) & 0x0f, isLast: (held.readUInt8(0) & 0x80) !== 0, mask: held.subarray(start - 4, start), start, end: start + length };
}

const unmasked = (bytes: Buffer, mask: Buffer): Buffer => Buffer.from(bytes.map((byte, at) => byte ^ (mask[at % 4] ?? 0)));
