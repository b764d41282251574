// A client that speaks protobuf only, as those of Kubernetes' own components do with built-in kinds.
import { objectTypeOf, type ApiObject, type Brand, type ServedVersion } from '#api';
import { createProtobufCodec, readEnvelope, type Codec } from '#codec';
import { TEST_TOKENS, type TestServer } from '#testing';

export interface ProtobufEvent {
  readonly type: string;
  readonly object: ApiObject;
}

export interface ProtobufWatch {
  next(): Promise<ProtobufEvent>;
  stop(): void;
}

/** Requests about objects of one served version. Each throws the text of an answer that is no success. */
export class ProtobufClient {
  readonly #server: TestServer;
  readonly #codec: Codec;
  readonly #served: ServedVersion;
  readonly #kind: string;

  constructor(server: TestServer, brand: Brand, served: ServedVersion, kind: string) {
    this.#server = server;
    this.#codec = createProtobufCodec(brand);
    this.#served = served;
    this.#kind = kind;
  }

  read(path: string): Promise<ApiObject> {
    return this.#send('GET', path);
  }

  write(method: 'POST' | 'PUT', path: string, object: ApiObject): Promise<ApiObject> {
    return this.#send(method, path, this.#codec.encode(objectTypeOf(this.#served.schema), object));
  }

  async list(path: string): Promise<{ readonly resourceVersion: string; readonly items: readonly ApiObject[] }> {
    const fields = fieldsOf(readEnvelope(await this.#ask('GET', path)).raw);
    const metadata = fieldsOf(fields.find(({ number }) => number === 1)?.content ?? new Uint8Array());
    const items = fields.filter(({ number }) => number === 2).map(({ content }) => this.#decode(enveloped(this.#served.apiVersion, this.#kind, content)));
    return { resourceVersion: textOf(metadata, 2), items };
  }

  /** Frames: four bytes of length, and an event that holds an object in an envelope. */
  async watch(path: string): Promise<ProtobufWatch> {
    const stop = new AbortController();
    const headers = { accept: `${this.#codec.mediaType};stream=watch`, authorization: `Bearer ${TEST_TOKENS.admin}` };
    const answer = await this.#server.server.exchange({ method: 'GET', path, headers, signal: stop.signal });
    if (!('stream' in answer) || answer.headers['content-type'] !== this.#codec.streamMediaType) throw new Error(`${path}: ${answer.status}, no stream of protobuf`);
    const frames = framesOf(answer.stream);
    return {
      stop: () => stop.abort(),
      next: async () => {
        const { value, done } = await frames.next();
        if (done === true) throw new Error(`the watch of ${path} ended`);
        const event = fieldsOf(value);
        const object = fieldsOf(event.find(({ number }) => number === 2)?.content ?? new Uint8Array());
        return { type: textOf(event, 1), object: this.#decode(object.find(({ number }) => number === 1)?.content ?? new Uint8Array()) };
      },
    };
  }

  async #send(method: string, path: string, body?: Uint8Array): Promise<ApiObject> {
    return this.#decode(await this.#ask(method, path, body));
  }

  async #ask(method: string, path: string, body?: Uint8Array): Promise<Uint8Array> {
    const { mediaType } = this.#codec;
    const { status, headers, bytes, text } = await this.#server.request(method, path, body, { accept: mediaType, 'content-type': mediaType });
    if (status >= 300 || headers['content-type'] !== mediaType) throw new Error(`${method} ${path}: ${status} ${text}`);
    return bytes;
  }

  #decode(bytes: Uint8Array): ApiObject {
    const expected = { apiVersion: this.#served.apiVersion, kind: this.#kind, type: objectTypeOf(this.#served.schema) };
    return this.#codec.decode(expected, bytes);
  }
}

interface Field {
  readonly number: number;
  readonly content: Uint8Array;
}

/** The length-delimited fields of a message; there are only such where this is used, but for numbers of lists. */
function fieldsOf(bytes: Uint8Array): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): number => {
    for (let value = 0, factor = 1; ; factor *= 0x80) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const size = varint();
    if ((tag & 7) !== 2) continue;
    fields.push({ number: tag >> 3, content: bytes.subarray(at, at + size) });
    at += size;
  }
  return fields;
}

const textOf = (fields: readonly Field[], wanted: number): string => Buffer.from(fields.find(({ number }) => number === wanted)?.content ?? []).toString();

function enveloped(apiVersion: string, kind: string, raw: Uint8Array): Uint8Array {
  const field = (number: number, content: Uint8Array): Buffer => {
    const head = [(number << 3) | 2];
    let rest = content.length;
    for (; rest > 0x7f; rest >>>= 7) head.push((rest & 0x7f) | 0x80);
    return Buffer.concat([Buffer.of(...head, rest), content]);
  };
  return Buffer.concat([Buffer.from('k8s\0'), field(1, Buffer.concat([field(1, Buffer.from(apiVersion)), field(2, Buffer.from(kind))])), field(2, raw)]);
}

async function* framesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  let held = Buffer.alloc(0);
  for await (const chunk of stream) {
    held = Buffer.concat([held, chunk]);
    while (held.length >= 4 && held.length >= 4 + held.readUInt32BE(0)) {
      const end = 4 + held.readUInt32BE(0);
      yield held.subarray(4, end);
      held = held.subarray(end);
    }
  }
  return undefined;
}
