/** What the client of a TLS connection asks for. */
export interface Asked {
  /** undefined: no server name (SNI). */
  readonly name: string | undefined;
}

/** In a longer ClientHello no name is looked for. Those of clients have one or two kilobytes, some more with large session tickets, in few records. */
const MAX_BYTES = 32_768;
const MAX_RECORDS = 100;

const NO_NAME: Asked = { name: undefined };

/** The numbers of RFC 8446, 5.1 and 4, and of RFC 6066, 3. */
const [HANDSHAKE, CLIENT_HELLO, SERVER_NAME, HOST_NAME] = [22, 1, 0, 0] as const;
const RECORD_HEAD = 5;
const MESSAGE_HEAD = 4;

/**
 * The server name in the first bytes of a TLS connection; undefined: more bytes are needed. What is no ClientHello asks for no name, and one that is
 * malformed for any: the TLS server that gets it refuses it.
 */
export function serverNameIn(bytes: Buffer): Asked | undefined {
  const pieces: Buffer[] = [];
  let isOver = false;
  for (let at = 0; at < bytes.length; ) {
    isOver = bytes[at] !== HANDSHAKE || pieces.length === MAX_RECORDS;
    if (isOver || bytes.length < at + RECORD_HEAD) break;
    const end = at + RECORD_HEAD + bytes.readUInt16BE(at + RECORD_HEAD - 2);
    pieces.push(bytes.subarray(at + RECORD_HEAD, end));
    at = end;
  }
  const message = Buffer.concat(pieces);
  if (message.length > 0 && message[0] !== CLIENT_HELLO) return NO_NAME;
  const end = message.length < MESSAGE_HEAD ? MESSAGE_HEAD : MESSAGE_HEAD + message.readUIntBE(1, MESSAGE_HEAD - 1);
  if (message.length >= end) return { name: nameIn(new Fields(message.subarray(MESSAGE_HEAD, end))) };
  return isOver || Math.max(end, bytes.length) > MAX_BYTES ? NO_NAME : undefined;
}

/** RFC 8446, 4.1.2. */
function nameIn(hello: Fields): string | undefined {
  const [version, random, session, ciphers, compressions] = [2, 32, 1, 2, 1] as const;
  hello.take(version + random);
  for (const width of [session, ciphers, compressions]) hello.vector(width);
  const extensions = hello.vector(2);
  while (!extensions.isEmpty) {
    const [type, content] = [extensions.number(2), extensions.vector(2)];
    if (type !== SERVER_NAME) continue;
    const names = content.vector(2);
    const [sort, name] = [names.number(1), names.vector(2)];
    return sort === HOST_NAME && !name.isEmpty ? name.text() : undefined;
  }
  return undefined;
}

/** Reads one field after the other. What is not there any more is empty, or 0. */
class Fields {
  #rest: Buffer;

  constructor(bytes: Buffer) {
    this.#rest = bytes;
  }

  get isEmpty(): boolean {
    return this.#rest.length === 0;
  }

  take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  number(width: number): number {
    const taken = this.take(width);
    return taken.length < width ? 0 : taken.readUIntBE(0, width);
  }

  /** A field that begins with its length, a number of `width` bytes. */
  vector(width: number): Fields {
    return new Fields(this.take(this.number(width)));
  }

  text(): string {
    return this.#rest.toString('latin1');
  }
}
