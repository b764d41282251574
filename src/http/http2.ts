import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { NO_BODY, readBody, SMALL_BODY_BYTES } from './read-body.ts';
import { RequestSource } from './received.ts';
import { validHeader } from './valid-header.ts';
import type { ResponseHead, ResponseWriter } from './response-writer.ts';

const { HTTP_STATUS_CONTINUE, NGHTTP2_NO_ERROR } = constants;

export interface Http2Request {
  readonly stream: ServerHttp2Stream;
  readonly rawHeaders: readonly string[];
  readonly declaredLength: string | undefined;
  /** The client sends the body once it is told to go on, or after a while. */
  readonly awaitsContinue: boolean;
  /** The request ended with its headers. */
  readonly isBodyless: boolean;
  readonly bodyTimeoutMs: number;
}

/** The error of streams that the server cuts off. */
export const CUT_OFF = new Error('answer cut off');

/** One HTTP/2 request and its response. */
export class Http2Exchange extends RequestSource implements ResponseWriter {
  readonly rawHeaders: readonly string[];
  readonly #stream: ServerHttp2Stream;
  readonly #request: Http2Request;
  /** The head of a response that has begun, until it is sent. */
  #begun: OutgoingHttpHeaders | undefined = undefined;
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

  sendAll(head: ResponseHead, body: Uint8Array): void {
    this.#stream.respond(fields(head));
    this.#isEnded = true;
    this.#stream.end(body);
    this.#refuseRest();
  }

  sendHead(head: ResponseHead): void {
    this.#stream.respond(fields(head), { endStream: true });
    this.#isEnded = true;
    this.#refuseRest();
  }

  begin(head: ResponseHead): void {
    this.#begun = fields(head);
  }

  flushHead(): void {
    const head = this.#begun;
    if (head === undefined) return;
    this.#begun = undefined;
    this.#stream.respond(head);
  }

  write(chunk: Uint8Array): boolean {
    this.flushHead();
    return this.#stream.write(chunk);
  }

  writeAll(chunks: readonly Uint8Array[]): boolean {
    const stream = this.#stream;
    this.flushHead();
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
    this.flushHead();
    this.#isEnded = true;
    this.#stream.end();
    this.#refuseRest();
  }

  onFinish(run: () => void): void {
    if (this.#stream.writableFinished) run();
    else this.#stream.once('finish', run);
  }

  cut(): void {
    // `close` would end the body properly first, and the client would take the truncated body for complete.
    this.#stream.destroy(CUT_OFF);
  }

  onGone(run: () => void): void {
    const stream = this.#stream;
    // Node ends a stream that was reset, and it then looks finished: only an end sent from here counts.
    stream.once('close', () => {
      if (!this.#isEnded || !stream.writableFinished) run();
    });
  }

  protected override readBody(limit: number): Promise<Uint8Array> {
    const { stream, declaredLength, awaitsContinue, isBodyless, bodyTimeoutMs } = this.#request;
    if (isBodyless) return Promise.resolve(NO_BODY);
    const whole = this.#takeWhole(Math.min(limit, SMALL_BODY_BYTES));
    if (whole !== undefined) return Promise.resolve(whole);
    const body = readBody(stream, { limit, declaredLength, timeoutMs: bodyTimeoutMs });
    if (awaitsContinue && !this.isGone && !(Number(declaredLength) > limit)) stream.additionalHeaders({ ':status': HTTP_STATUS_CONTINUE });
    return body;
  }

  /**
   * The whole body where it has arrived, and has at most `mostBytes`. To wait for its end as well would cost more than all other steps of reading it.
   */
  #takeWhole(mostBytes: number): Uint8Array | undefined {
    const stream = this.#stream;
    const length = Number(this.#request.declaredLength);
    if (stream.readableLength !== length || length === 0 || length > mostBytes) return undefined;
    // null: the stream has broken off meanwhile.
    return (stream.read(length) as Uint8Array | null) ?? undefined;
  }

  /** Asks a client that is still sending its body to stop (RST_STREAM with NO_ERROR), once it has the response. */
  #refuseRest(): void {
    const stream = this.#stream;
    if (this.#request.isBodyless || stream.readableEnded) return;
    this.onFinish(() => {
      // Does nothing where the client has ended its body as well: the stream has closed with the response.
      if (!stream.readableEnded) stream.close(NGHTTP2_NO_ERROR);
    });
  }
}

/** Fields that apply to one connection of HTTP/1.1, which back ends may send. HTTP/2 forbids them (RFC 9113, section 8.2.2). */
const OF_CONNECTION: ReadonlySet<string> = new Set(['connection', 'http2-settings', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade']);

/**
 * The header fields of a response. Throws for characters that HTTP forbids: `node:http2` lets them pass, receivers drop such a header, and a proxy
 * that turns it into HTTP/1.1 could be tricked into reading further headers. Throws for a status that `node:http2` does not send, too: where it throws
 * itself, the head of a stream is sent, and nobody is there to catch.
 */
function fields({ status, headers, contentLength, warnings }: ResponseHead): OutgoingHttpHeaders {
  if (status < 200 || status > 599) throw new RangeError(`HTTP/2 answers have no status ${status}`);
  const all: OutgoingHttpHeaders = contentLength === undefined ? { ':status': status } : { ':status': status, 'content-length': contentLength };
  // One by one: a spread into an object that already has members takes several times as long.
  for (const name in headers) {
    if (OF_CONNECTION.has(name)) continue;
    const value = headers[name] as string | readonly string[];
    all[name] = typeof value === 'string' ? validHeader(name, value) : repeated(name, value);
  }
  // Several `warning` lines, which the type of this one name does not foresee.
  if (warnings.length > 0) Object.assign(all, { warning: [...[all['warning'] ?? []].flat(), ...warnings] });
  return all;
}

/**
 * Several values as one comma-separated value, which means the same: `node:http2` rejects a second line for some names, some list headers among them.
 * `set-cookie` alone cannot be joined.
 */
function repeated(name: string, values: readonly string[]): string | string[] {
  const valid = values.map((value) => validHeader(name, value));
  return name === 'set-cookie' ? valid : valid.join(', ');
}
