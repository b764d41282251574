import type { ServerResponse } from 'node:http';
import { toChunk, LAST_CHUNK } from './chunked.ts';
import { closePatiently } from './close-patiently.ts';
import type { Http1Message } from './http1-message.ts';
import { entityTooLarge, NO_BODY, readBody } from './read-body.ts';
import { RequestSource } from './received.ts';
import type { ResponseHead, ResponseWriter } from './response-writer.ts';

/** Larger bodies are not worth a copy. */
const ONE_PIECE_BYTES = 16_384;

const textOf = ({ buffer, byteOffset, length }: Uint8Array): string => Buffer.from(buffer, byteOffset, length).toString('latin1');

/** What responses say of their connection. */
export interface ConnectionTerms {
  /** It is closed after the response. */
  readonly isClosing: () => boolean;
  /** The value of `Keep-Alive` where it is not: clients know from it how long they may use the connection again. */
  readonly keepAlive: string;
  /** For how long it stays, once it is to be closed, while its client is still sending. */
  readonly lingerMs: number;
}

/** One HTTP/1.1 request and its response. */
export class Http1Exchange extends RequestSource implements ResponseWriter {
  readonly #request: Http1Message;
  readonly #response: ServerResponse;
  readonly #terms: ConnectionTerms;
  /**
   * The body is sent in chunked transfer coding. Framed here: Node would take three writes and a copy for each chunk, and share nothing between
   * receivers.
   */
  #isChunked = false;

  constructor(request: Http1Message, response: ServerResponse, terms: ConnectionTerms) {
    super();
    this.#request = request;
    this.#response = response;
    this.#terms = terms;
  }

  get rawHeaders(): readonly string[] {
    return this.#request.rawHeaders;
  }

  get isGone(): boolean {
    return this.#response.destroyed || this.#request.socket.destroyed;
  }

  get bufferedBytes(): number {
    return this.#response.writableLength;
  }

  sendAll(head: ResponseHead, body: Uint8Array): void {
    this.begin(head);
    // As a latin1 string the body leaves in one write together with the head; as bytes Node writes it separately, which costs more.
    if (body.length <= ONE_PIECE_BYTES) this.#response.end(textOf(body), 'latin1');
    else this.#response.end(body);
    this.#skipRest();
  }

  sendHead(head: ResponseHead): void {
    this.begin(head);
    this.#response.end();
    this.#skipRest();
  }

  begin(head: ResponseHead): void {
    const response: ServerResponse & { _expect_continue?: boolean; readonly _sent100?: boolean } = this.#response;
    if (response._expect_continue === true && response._sent100 !== true) {
      // Node closes the connection after a response to a client that was not sent `100 Continue`. A client that has sent its whole body all the same
      // can go on.
      if (this.#request.complete) response._expect_continue = false;
      else response.shouldKeepAlive = false;
    }
    response.writeHead(head.status, this.#flatHeaders(head));
    this.#isChunked = response.chunkedEncoding;
    response.chunkedEncoding = false;
  }

  flushHead(): void {
    this.#response.flushHeaders();
  }

  write(chunk: Uint8Array): boolean {
    const { socket } = this.#response;
    // Corked here, because Node would otherwise cork it itself and defer the write until the next tick.
    socket?.cork();
    const hasRoom = this.#writePiece(chunk);
    socket?.uncork();
    return hasRoom;
  }

  writeAll(chunks: readonly Uint8Array[]): boolean {
    const response = this.#response;
    let hasRoom = true;
    response.cork();
    for (const chunk of chunks) hasRoom = this.#writePiece(chunk);
    response.uncork();
    return hasRoom;
  }

  onDrain(run: () => void): void {
    this.#response.once('drain', run);
  }

  end(): void {
    if (this.#isChunked) this.#response.end(LAST_CHUNK);
    else this.#response.end();
    this.#skipRest();
  }

  onFinish(run: () => void): void {
    if (this.#response.writableFinished) run();
    else this.#response.once('finish', run);
  }

  cut(): void {
    this.#request.socket.destroy();
  }

  onGone(run: () => void): void {
    this.#response.once('close', () => {
      if (!this.#response.writableFinished) run();
    });
  }

  #writePiece(piece: Uint8Array): boolean {
    return this.#response.write(this.#isChunked ? toChunk(piece) : piece);
  }

  protected override readBody(limit: number): Promise<Uint8Array> {
    const whole = this.#request.takeWhole();
    if (whole !== undefined) return whole.length > limit ? Promise.reject(entityTooLarge(limit)) : Promise.resolve(whole);
    // Read here and not before: Node makes the map of the headers on first use, and most requests can do without.
    const { 'content-length': declaredLength, 'transfer-encoding': coding } = this.#request.headers;
    if (declaredLength === undefined && coding === undefined) return Promise.resolve(NO_BODY);
    if (!(Number(declaredLength) > limit)) this.#sendContinue();
    // Slow senders are bounded by the server's request timeout.
    return readBody(this.#request, { limit, declaredLength });
  }

  /** Sends `100 Continue` to a client that waits for it. */
  #sendContinue(): void {
    const response: ServerResponse & { readonly _expect_continue?: boolean } = this.#response;
    if (response._expect_continue === true && !this.#request.complete) response.writeContinue();
  }

  /** Drains the rest of a body that was not read, so that the connection can read the next request, and its client the answer. */
  #skipRest(): void {
    if (this.#request.complete) return;
    const { _last: isLast }: ServerResponse & { readonly _last?: boolean } = this.#response;
    if (isLast === true) closePatiently(this.#request.socket, this.#terms.lingerMs);
    this.#request.resume();
  }

  #flatHeaders({ headers, contentLength, warnings }: ResponseHead): string[] {
    const flat: string[] = [];
    for (const name of Object.keys(headers)) {
      const value = headers[name] as string | readonly string[];
      if (typeof value === 'string') flat.push(name, value);
      else for (const one of value) flat.push(name, one);
    }
    if (contentLength !== undefined) flat.push('content-length', String(contentLength));
    for (const warning of warnings) flat.push('warning', warning);
    if (this.#terms.isClosing()) flat.push('connection', 'close');
    else if (this.#response.shouldKeepAlive) flat.push('keep-alive', this.#terms.keepAlive);
    return flat;
  }
}
