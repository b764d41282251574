import type { Write } from '../../../engine.ts';
import type { Revision } from '../../../entry.ts';
import type { StorageFailureCode } from '../../../storage-failure.ts';

/**
 * A request to the process that writes. `hold`: write nothing until the next request on this connection, or until it closes. `join`: become a member,
 * which is told the head and may write through this process. The value of a put follows the message. `world`: that in which the process that asks has
 * its `pid`; programs that did not send it are not looked at. `hasOpen`: it has the file open already, perhaps since before this process wrote.
 */
export type MemberRequest =
  | { readonly ask: 'hold'; readonly pid: number; readonly world?: string; readonly hasOpen?: boolean }
  | { readonly ask: 'join'; readonly pid?: number; readonly world?: string }
  | ({ readonly ask: 'commit'; readonly id: number } & Omit<Write, 'value'>)
  | { readonly ask: 'compact'; readonly id: number; readonly before: Revision };

/**
 * A message of the process that writes. `head`: all revisions up to this one are in the file. `lost`: the comparison failed, and the key is at revision
 * `found`; 0: it does not exist. `preconditionFailed`: a precondition does not hold.
 * `namesake`: another process with the id of the one that asked has the file open; nothing is held.
 * `going`: this process stops writing, and another one will take over; with an `id`: this request was not carried out.
 */
export type WriterMessage =
  | { readonly tell: 'held' }
  | { readonly tell: 'namesake' }
  | { readonly tell: 'head'; readonly head: Revision }
  | { readonly tell: 'done'; readonly id: number; readonly revision: Revision }
  | { readonly tell: 'lost'; readonly id: number; readonly found: Revision; readonly preconditionFailed?: true }
  | { readonly tell: 'going'; readonly id?: number }
  | { readonly tell: 'failed'; readonly id: number; readonly code: StorageFailureCode; readonly message: string; readonly revision?: Revision; readonly isUnconfirmed?: true };

/** A message, with the value that follows it. */
export interface Frame<T> {
  readonly message: T;
  readonly value?: Uint8Array;
}

/** The bytes before a message: the length of everything after them (4), of the message (4), and whether a value follows (1). */
const HEADER = 9;
/** More than any value: a peer that announces more does not speak this protocol. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** Encodes a frame, in several pieces so that the value need not be copied. */
export function encodeFrame<T extends MemberRequest | WriterMessage>({ message, value }: Frame<T>): readonly Uint8Array[] {
  const text = Buffer.from(JSON.stringify(message));
  const header = Buffer.allocUnsafe(HEADER);
  header.writeUInt32BE(text.length + (value?.length ?? 0), 0);
  header.writeUInt32BE(text.length, 4);
  header[8] = value === undefined ? 0 : 1;
  return value === undefined ? [header, text] : [header, text, value];
}

/** Decodes frames from the chunks of a socket. */
export class FrameReader<T extends MemberRequest | WriterMessage> {
  #chunks: Uint8Array[] = [];
  #length = 0;

  /** The frames that this chunk completes. Throws when the bytes are not frames. */
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
    // A copy: a value that is kept must not keep its whole chunk in memory.
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
