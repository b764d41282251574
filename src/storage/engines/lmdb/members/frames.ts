import type { Given, Key, Revision, StorageFailureCode } from '../../../engine.ts';

/**
 * What a process asks of the one that writes. `hold`: to write nothing until it asks for something else, or is gone. `join`: to be told of
 * what is written, and to write through it. The value of a put travels behind it. `pid` is for people.
 */
export type Asked =
  | { readonly ask: 'hold'; readonly pid: number }
  | { readonly ask: 'join' }
  | { readonly ask: 'commit'; readonly id: number; readonly key: Key; readonly expect: Revision; readonly ttlSeconds?: number; readonly given?: readonly Given[] }
  | { readonly ask: 'compact'; readonly id: number; readonly before: Revision };

/**
 * What it is told. `head`: everything up to this revision is in the file. `lost`: `found` stands there instead; 0: nothing does. `lapsed`: it is what
 * was given that stands no longer.
 * `going`: another process will write from now on; with an `id`: this was not written.
 */
export type Told =
  | { readonly tell: 'held' }
  | { readonly tell: 'head'; readonly head: Revision }
  | { readonly tell: 'done'; readonly id: number; readonly revision: Revision }
  | { readonly tell: 'lost'; readonly id: number; readonly found: Revision; readonly lapsed?: true }
  | { readonly tell: 'going'; readonly id?: number }
  | { readonly tell: 'failed'; readonly id: number; readonly code: StorageFailureCode; readonly message: string; readonly revision?: Revision };

export interface Frame<T> {
  readonly message: T;
  readonly value?: Uint8Array;
}

/** Length of the rest and of the message, whether a value follows. */
const HEADER = 9;
/** More than any value: whoever announces more is none of ours. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** A frame in pieces, so that the value need not be copied. */
export function encodeFrame<T extends Asked | Told>({ message, value }: Frame<T>): readonly Uint8Array[] {
  const text = Buffer.from(JSON.stringify(message));
  const header = Buffer.allocUnsafe(HEADER);
  header.writeUInt32BE(text.length + (value?.length ?? 0), 0);
  header.writeUInt32BE(text.length, 4);
  header[8] = value === undefined ? 0 : 1;
  return value === undefined ? [header, text] : [header, text, value];
}

/** Puts frames together from what a socket brings. */
export class FrameReader<T extends Asked | Told> {
  #chunks: Uint8Array[] = [];
  #length = 0;

  /** The frames that are whole now. Throws when the bytes are no frames. */
  *read(chunk: Uint8Array): Generator<Frame<T>> {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    while (this.#length >= HEADER) {
      const [first] = this.#chunks;
      const header = first !== undefined && first.length >= HEADER ? bufferOf(first) : this.#joined();
      const rest = header.readUInt32BE(0);
      if (rest > MAX_FRAME_BYTES) throw new Error(`a message of ${rest} bytes was announced`);
      if (this.#length < HEADER + rest) return;
      yield this.#take(HEADER + rest);
    }
  }

  #take(end: number): Frame<T> {
    const bytes = this.#joined();
    const valueAt = HEADER + bytes.readUInt32BE(4);
    const message = JSON.parse(bytes.toString('utf8', HEADER, valueAt)) as T;
    // A copy: what a reader keeps must not keep the whole chunk.
    const value = bytes[8] === 0 ? undefined : new Uint8Array(bytes.subarray(valueAt, end));
    const left = bytes.subarray(end);
    this.#chunks = left.length === 0 ? [] : [left];
    this.#length = left.length;
    return value === undefined ? { message } : { message, value };
  }

  #joined(): Buffer {
    const [first] = this.#chunks;
    const joined = first !== undefined && this.#chunks.length === 1 ? bufferOf(first) : Buffer.concat(this.#chunks, this.#length);
    this.#chunks = [joined];
    return joined;
  }
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
