// The side of SPDY/3.1 that accepts streams: what agents of nodes speak with clients that run commands, join containers and forward ports.
import { Duplex, type Readable } from 'node:stream';
import { createDeflate, createInflate, constants } from 'node:zlib';

/** A stream that the other side opened; its end is a half close. */
export interface SpdyStream extends Duplex {
  readonly headers: ReadonlyMap<string, string>;
}

// Types of control frames that matter here.
const SYN_STREAM = 1;
const SYN_REPLY = 2;
const RST_STREAM = 3;
const PING = 6;
const GOAWAY = 7;
const FIN = 1;

/** Words that headers are compressed with; the protocol names them, each with its length in front, and a text behind. */
const WORDS =
  'options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow authorization cache-control ' +
  'connection content-base content-encoding content-language content-length content-location content-md5 content-range content-type date etag ' +
  'expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma ' +
  'proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade user-agent vary via warning ' +
  'www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie keep-alive origin';
const TEXT =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative Information204 No Content' +
  '301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented' +
  '503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT' +
  'chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,public' +
  'privatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.';
const dictionary = Buffer.concat([...WORDS.split(' ').map((word) => lengthAnd(word.replace('_', ' '))), Buffer.from(TEXT)]);

function lengthAnd(text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, Buffer.from(text, 'latin1')]);
}

/** Accepts the streams of a connection until it ends. Resolves when it has; rejects on what is no SPDY. */
export async function serveSpdy(socket: Duplex, accept: (stream: SpdyStream) => void): Promise<void> {
  const streams = new Map<number, SpdyStream>();
  const readHeaders = headerReader();
  const writeHeaders = headerWriter();
  try {
    for await (const { type, flags, content } of framesOf(socket)) {
      const id = content.readUInt32BE(0) & 0x7fff_ffff;
      if (type === 'data' || type === RST_STREAM) {
        const stream = streams.get(id);
        if (type === 'data' && content.length > 4) stream?.push(content.subarray(4));
        if (type === RST_STREAM || (flags & FIN) !== 0) stream?.push(null);
      } else if (type === SYN_STREAM) {
        const stream = streamOn(socket, id, await readHeaders(content.subarray(10)));
        if ((flags & FIN) !== 0) stream.push(null);
        streams.set(id, stream);
        socket.write(controlFrame(SYN_REPLY, Buffer.concat([content.subarray(0, 4), await writeHeaders()])));
        accept(stream);
      } else if (type === PING) {
        socket.write(controlFrame(PING, content));
      } else if (type === GOAWAY) return;
    }
  } finally {
    for (const stream of streams.values()) if (!stream.readableEnded) stream.push(null);
  }
}

interface Frame {
  readonly type: number | 'data';
  readonly flags: number;
  /** With the stream in front where the frame has one. */
  readonly content: Buffer;
}

async function* framesOf(socket: Duplex): AsyncGenerator<Frame> {
  let held = Buffer.alloc(0);
  for await (const chunk of socket) {
    held = Buffer.concat([held, chunk as Buffer]);
    for (;;) {
      const end = held.length < 8 ? Infinity : 8 + held.readUIntBE(5, 3);
      if (held.length < end) break;
      const isControl = (held.readUInt8(0) & 0x80) !== 0;
      const body = held.subarray(8, end);
      const content = isControl ? body : Buffer.concat([held.subarray(0, 4), body]);
      yield { type: isControl ? held.readUInt16BE(2) : 'data', flags: held.readUInt8(4), content };
      held = held.subarray(end);
    }
  }
}

function streamOn(socket: Duplex, id: number, headers: ReadonlyMap<string, string>): SpdyStream {
  const stream = new Duplex({
    read() {},
    write: (chunk: Buffer, _encoding, done) => void socket.write(dataFrame(id, 0, chunk), () => done()),
    final: (done) => void socket.write(dataFrame(id, FIN, Buffer.alloc(0)), () => done()),
  });
  return Object.assign(stream, { headers });
}

function dataFrame(id: number, flags: number, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(id, 0);
  head.writeUInt8(flags, 4);
  head.writeUIntBE(content.length, 5, 3);
  return Buffer.concat([head, content]);
}

function controlFrame(type: number, content: Buffer): Buffer {
  const frame = dataFrame(0, 0, content);
  frame.writeUInt16BE(0x8003, 0);
  frame.writeUInt16BE(type, 2);
  return frame;
}

/** All that can be read now. From Node 26 on `read` gives a piece, before it gave everything. */
function allRead(source: Readable): Buffer {
  const pieces: Buffer[] = [];
  for (let piece: Buffer | null; (piece = source.read() as Buffer | null) !== null; ) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** All headers of a connection are one compressed text. */
function headerReader(): (block: Buffer) => Promise<ReadonlyMap<string, string>> {
  const inflate = createInflate({ dictionary });
  return async (block) => {
    await new Promise<void>((resolve, reject) => inflate.write(block, (failure) => (failure ? reject(failure) : resolve())));
    const text = allRead(inflate);
    let at = 4;
    const next = (): string => {
      const end = at + 4 + text.readUInt32BE(at);
      const word = text.toString('utf8', at + 4, end);
      at = end;
      return word;
    };
    return new Map(Array.from({ length: text.readUInt32BE(0) }, () => [next().toLowerCase(), next()]));
  };
}

/** Writes headers without any in them: nothing is to be said in answer to a stream. */
function headerWriter(): () => Promise<Buffer> {
  const deflate = createDeflate({ dictionary });
  return async () => {
    deflate.write(Buffer.alloc(4));
    await new Promise<void>((resolve) => deflate.flush(constants.Z_SYNC_FLUSH, () => resolve()));
    return allRead(deflate);
  };
}
