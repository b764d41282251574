import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { NO_BODY, readBody } from './read-body.ts';
import { Carrier } from './received.ts';
import { validHeader } from './valid-header.ts';
import type { Head, Wire } from './wire.ts';

export interface Http2Request {
  readonly stream: ServerHttp2Stream;
  readonly rawHeaders: readonly string[];
  readonly declaredLength: string | undefined;
  /** The request ended with its headers. */
  readonly isBodyless: boolean;
  readonly bodyTimeoutMs: number;
}

/** One request and its answer over HTTP/2. */
export class Http2Exchange extends Carrier implements Wire {
  readonly rawHeaders: readonly string[];
  readonly #stream: ServerHttp2Stream;
  readonly #request: Http2Request;
  #isEnded = false;

  constructor(request: Http2Request) {
    super();
    this.#request = request;
    this.#stream = request.stream;
    this.rawHeaders = request.rawHeaders;
  }

  get isGone(): boolean {
    return this.#stream.destroyed || this.#stream.closed || this.#stream.aborted;
  }

  get bufferedBytes(): number {
    return this.#stream.writableLength;
  }

  sendAll(head: Head, body: Uint8Array): void {
    this.#stream.respond(fields(head));
    this.#isEnded = true;
    this.#stream.end(body);
    this.#refuseRest();
  }

  sendHead(head: Head): void {
    this.#stream.respond(fields(head), { endStream: true });
    this.#isEnded = true;
    this.#refuseRest();
  }

  begin(head: Head): void {
    this.#stream.respond(fields(head));
  }

  flushHead(): void {
    // nghttp2 sends the head as soon as it has it.
  }

  write(chunk: Uint8Array): boolean {
    return this.#stream.write(chunk);
  }

  writeAll(chunks: readonly Uint8Array[]): boolean {
    const stream = this.#stream;
    let hasRoom = true;
    stream.cork();
    for (const chunk of chunks) hasRoom = stream.write(chunk);
    stream.uncork();
    return hasRoom;
  }

  onDrain(run: () => void): void {
    this.#stream.once('drain', run);
  }

  end(): void {
    this.#isEnded = true;
    this.#stream.end();
    this.#refuseRest();
  }

  onFinish(run: () => void): void {
    if (this.#stream.writableFinished) run();
    else this.#stream.once('finish', run);
  }

  cut(): void {
    // `close` would end the body properly first, and the client would take what it has for the whole.
    this.#stream.destroy(new Error('answer cut off'));
  }

  onGone(run: () => void): void {
    const stream = this.#stream;
    // A reset stream is ended by Node and then looks finished: only our own end counts.
    stream.once('close', () => {
      if (!this.#isEnded || !stream.writableFinished) run();
    });
  }

  protected override readBody(limit: number): Promise<Uint8Array> {
    const { stream, declaredLength, isBodyless, bodyTimeoutMs } = this.#request;
    if (isBodyless) return Promise.resolve(NO_BODY);
    return readBody(stream, { limit, declaredLength, timeoutMs: bodyTimeoutMs });
  }

  /** A client still sending a body that nobody reads is told to stop, after it has the answer. */
  #refuseRest(): void {
    const stream = this.#stream;
    if (this.#request.isBodyless || stream.readableEnded) return;
    this.onFinish(() => {
      if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
    });
  }
}

/** Throws for what HTTP forbids: `node:http2` lets it pass, the receiver leaves such a header out, and a proxy that turns it into HTTP/1.1 would be fooled. */
function fields({ status, headers, contentLength, warnings }: Head): OutgoingHttpHeaders {
  const all: OutgoingHttpHeaders = contentLength === undefined ? { ':status': status } : { ':status': status, 'content-length': contentLength };
  // One by one: a spread into an object that has members already takes several times as long.
  for (const name in headers) all[name] = validHeader(name, headers[name] as string);
  // Several header lines, which the type of this one name does not foresee.
  if (warnings.length > 0) Object.assign(all, { warning: warnings });
  return all;
}
