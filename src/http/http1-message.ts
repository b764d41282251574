import { IncomingMessage, type Server } from 'node:http';

/** A server whose requests are such. */
export type Http1Server = Server<typeof Http1Message>;

/** More is left to Node's stream, which stops reading from the connection until somebody wants it. */
const KEPT_BYTES = 64 * 1024;
/** Each costs some hundred bytes beside what it holds: the stream keeps fewer of them, and asks the sender to wait sooner. */
const KEPT_PIECES = 64;

/**
 * A request whose small body is kept as it comes: making it flow through a stream costs more than all else that is done to read it. Most are
 * there as a whole before anybody asks.
 */
export class Http1Message extends IncomingMessage {
  /** Nothing after it is read from its connection: Node drops what comes in one piece with a request whose offer of another protocol was declined. */
  isLast = false;
  /** undefined: the stream has it. */
  #kept: Uint8Array[] | undefined = [];
  #keptBytes = 0;
  #isWhole = false;

  /** The whole body, where it has arrived and was kept. From now on it is the stream's otherwise. */
  takeWhole(): Uint8Array | undefined {
    const kept = this.#kept;
    if (kept === undefined) return undefined;
    if (!this.#isWhole) {
      this.#leaveToStream();
      return undefined;
    }
    return kept.length === 1 ? kept[0] : Buffer.concat(kept, this.#keptBytes);
  }

  /** What the parser has read; null: that was all. Whether it may go on reading. */
  override push(chunk: Uint8Array | null, encoding?: BufferEncoding): boolean {
    if (this.#kept === undefined) return super.push(chunk, encoding);
    if (chunk === null) {
      this.#isWhole = true;
      // To Node the body is empty, and has ended.
      return super.push(null);
    }
    this.#kept.push(chunk);
    this.#keptBytes += chunk.length;
    return (this.#keptBytes <= KEPT_BYTES && this.#kept.length <= KEPT_PIECES) || this.#leaveToStream();
  }

  #leaveToStream(): boolean {
    const kept = this.#kept ?? [];
    this.#kept = undefined;
    let hasRoom = true;
    for (const chunk of kept) hasRoom = super.push(chunk);
    return hasRoom;
  }
}
