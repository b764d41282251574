import type { ServerResponse } from 'node:http';
import { framed, LAST_CHUNK } from './chunked.ts';
import type { Http1Message } from './http1-message.ts';
import { entityTooLarge, NO_BODY, readBody } from './read-body.ts';
import { Carrier } from './received.ts';
import type { Head, Wire } from './wire.ts';

/** Larger ones are not worth a copy. */
const ONE_PIECE_BYTES = 16_384;

const textOf = ({ buffer, byteOffset, length }: Uint8Array): string => Buffer.from(buffer, byteOffset, length).toString('latin1');

/** One request and its answer over HTTP/1.1. */
export class Http1Exchange extends Carrier implements Wire {
  readonly #request: Http1Message;
  readonly #response: ServerResponse;
  readonly #isClosing: () => boolean;
  /** The body is sent in chunks. They are framed here: Node would take three writes and a copy for each, and share nothing between receivers. */
  #isChunked = false;

  constructor(request: Http1Message, response: ServerResponse, isClosing: () => boolean) {
    super();
    this.#request = request;
    this.#response = response;
    this.#isClosing = isClosing;
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

  sendAll(head: Head, body: Uint8Array): void {
    this.begin(head);
    // As text, whose characters are the bytes, a body leaves in one piece with the head; as bytes Node writes it as a second one, which costs more.
    if (body.length <= ONE_PIECE_BYTES) this.#response.end(textOf(body), 'latin1');
    else this.#response.end(body);
    this.#skipRest();
  }

  sendHead(head: Head): void {
    this.begin(head);
    this.#response.end();
    this.#skipRest();
  }

  begin(head: Head): void {
    const response: ServerResponse & { _expect_continue?: boolean } = this.#response;
    // Node closes after an answer to a client that got no leave to send its body. One that has sent it all the same can go on.
    if (response._expect_continue === true && this.#request.complete) response._expect_continue = false;
    response.writeHead(head.status, this.#flatHeaders(head));
    this.#isChunked = response.chunkedEncoding;
    response.chunkedEncoding = false;
  }

  flushHead(): void {
    this.#response.flushHeaders();
  }

  write(chunk: Uint8Array): boolean {
    const { socket } = this.#response;
    // Node would cork it as well, and put off until the next tick what can leave now.
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
    const response = this.#response;
    response.once('close', () => {
      if (!response.writableFinished) run();
    });
  }

  #writePiece(piece: Uint8Array): boolean {
    return this.#response.write(this.#isChunked ? framed(piece) : piece);
  }

  protected override readBody(limit: number): Promise<Uint8Array> {
    const declaredLength = this.#request.headers['content-length'];
    if (declaredLength === undefined && this.#request.headers['transfer-encoding'] === undefined) return Promise.resolve(NO_BODY);
    const whole = this.#request.takeWhole();
    if (whole !== undefined) return whole.length > limit ? Promise.reject(entityTooLarge(limit)) : Promise.resolve(whole);
    // The server's request timeout watches over slow senders.
    return readBody(this.#request, { limit, declaredLength });
  }

  /** A body nobody wanted to the end must still leave the connection before the next request can be read. */
  #skipRest(): void {
    if (!this.#request.complete) this.#request.resume();
  }

  #flatHeaders({ headers, contentLength, warnings }: Head): string[] {
    const flat: string[] = [];
    for (const name of Object.keys(headers)) flat.push(name, headers[name] as string);
    if (contentLength !== undefined) flat.push('content-length', String(contentLength));
    for (const warning of warnings) flat.push('warning', warning);
    if (this.#isClosing()) flat.push('connection', 'close');
    return flat;
  }
}
