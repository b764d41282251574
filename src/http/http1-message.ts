import { IncomingMessage, type Server } from 'node:http';
import { SMALL_BODY_BYTES } from './read-body.ts';

/** An HTTP/1.1 server whose requests are `Http1Message`s. */
export type Http1Server = Server<typeof Http1Message>;

/**
 * Each chunk costs some hundred bytes beside its content: beyond this many the stream takes over, which applies back-pressure to the sender sooner.
 */
const KEPT_PIECES = 64;

/**
 * A request that keeps a small body as the parser delivers it: to make it flow through a stream costs more than all other steps of reading it. Most
 * bodies are complete before the server asks for them.
 */
export class Http1Message extends IncomingMessage {
  /**
   * The connection is closed after this request: Node drops bytes that arrive together with a request whose offer of another protocol was declined.
   */
  isLast = false;
  /** undefined: the stream has taken over. */
  #kept: Uint8Array[] | undefined = [];
  #keptBytes = 0;
  #isWhole = false;

  /** The whole body where it is complete and was kept, otherwise undefined: from then on the stream delivers it. */
  takeWhole(): Uint8Array | undefined {
    const kept = this.#kept;
    if (kept === undefined) return undefined;
    if (!this.#isWhole) {
      this.#leaveToStream();
      return undefined;
    }
    return kept.length === 1 ? kept[0] : Buffer.concat(kept, this.#keptBytes);
  }

  /** Takes what the parser has read; null: the end of the body. Returns whether the parser may go on reading. */
  override push(chunk: Uint8Array | null, encoding?: BufferEncoding): boolean {
    if (this.#kept === undefined) return super.push(chunk, encoding);
    if (chunk === null) {
      this.#isWhole = true;
      // For Node the body is empty and has ended.
      return super.push(null);
    }
    this.#kept.push(chunk);
    this.#keptBytes += chunk.length;
    return (this.#keptBytes <= SMALL_BODY_BYTES && this.#kept.length <= KEPT_PIECES) || this.#leaveToStream();
  }

  #leaveToStream(): boolean {
    const kept = this.#kept ?? [];
    this.#kept = undefined;
    let hasRoom = true;
    for (const chunk of kept) hasRoom = super.push(chunk);
    return hasRoom;
  }
}
