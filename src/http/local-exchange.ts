import { LocalStream } from './local-stream.ts';
import { rawHeadersOf, type LocalRequest } from './local-request.ts';
import { bodyAborted, entityTooLarge } from './read-body.ts';
import { RequestSource } from './received.ts';
import type { ResponseHead, ResponseWriter } from './response-writer.ts';
import { validHeader } from './valid-header.ts';

interface LocalResponseHead {
  readonly status: number;
  /** Names in lower case; repeated headers are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** `Warning` values one by one. */
  readonly warnings: readonly string[];
}

/** `stream` instead of `body` for a response without a known end (a watch). Leaving the loop over it tells the server that the reader has gone. */
export type LocalResponse = LocalResponseHead & ({ readonly body: Uint8Array } | { readonly stream: AsyncIterable<Uint8Array> });

const encoder = new TextEncoder();

/** One request without a socket, with its response: what a socket is to a request over a network. */
export class LocalExchange extends RequestSource implements ResponseWriter {
  readonly rawHeaders: readonly string[];
  readonly #body: Uint8Array;
  readonly #resolve: (answer: LocalResponse) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #stream = new LocalStream(() => this.#leave());
  #goneListeners: (() => void)[] = [];
  #finishListeners: (() => void)[] = [];
  /** Head of a streamed response until the response is resolved. */
  #begun: LocalResponseHead | undefined;
  #isStreaming = false;
  #isGone = false;
  #isFinished = false;

  constructor(request: LocalRequest, resolve: (answer: LocalResponse) => void, reject: (reason: unknown) => void) {
    super();
    this.#body = typeof request.body === 'string' ? encoder.encode(request.body) : (request.body ?? new Uint8Array(0));
    this.rawHeaders = rawHeadersOf(request, this.#body.length);
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = request.signal;
    const onAbort = (): void => {
      reject(request.signal?.reason);
      this.#leave();
    };
    if (request.signal?.aborted === true) onAbort();
    else request.signal?.addEventListener('abort', onAbort);
    this.onEnd(() => request.signal?.removeEventListener('abort', onAbort));
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** It was answered, or its sender has left. */
  get isOver(): boolean {
    return this.#isGone || this.#isFinished;
  }

  /** The answer is a stream that has begun. */
  get isStreaming(): boolean {
    return this.#isStreaming;
  }

  get bufferedBytes(): number {
    return this.#stream.queuedBytes;
  }

  sendAll(head: ResponseHead, body: Uint8Array): void {
    this.#resolve({ ...responseHead(head), body });
    this.end();
  }

  sendHead(head: ResponseHead): void {
    this.sendAll(head, new Uint8Array(0));
  }

  begin(head: ResponseHead): void {
    const begun = responseHead(head);
    this.#isStreaming = head.contentLength === undefined;
    if (this.#isStreaming) this.#begun = begun;
    else void this.#stream.collect().then((body) => this.#resolve({ ...begun, body }), this.#reject);
  }

  /** As over a network: the head is delivered with the first bytes, or with the first flush of a watch that has begun. */
  flushHead(): void {
    const head = this.#begun;
    if (head === undefined) return;
    this.#begun = undefined;
    this.#resolve({ ...head, stream: this.#stream });
  }

  write(chunk: Uint8Array): boolean {
    this.flushHead();
    return this.#stream.push(chunk);
  }

  writeAll(chunks: readonly Uint8Array[]): boolean {
    this.flushHead();
    let hasRoom = true;
    for (const chunk of chunks) hasRoom = this.#stream.push(chunk);
    return hasRoom;
  }

  onDrain(run: () => void): void {
    this.#stream.onDrain(run);
  }

  end(): void {
    this.flushHead();
    this.#isFinished = true;
    this.#stream.close();
    for (const run of this.#finishListeners.splice(0)) run();
  }

  onFinish(run: () => void): void {
    if (this.#isFinished) run();
    else this.#finishListeners.push(run);
  }

  onEnd(run: () => void): void {
    this.onFinish(run);
    this.onGone(run);
  }

  cut(): void {
    this.flushHead();
    this.#stream.fail(new Error('the server cut the answer off'));
    this.#leave();
  }

  onGone(run: () => void): void {
    this.#goneListeners.push(run);
  }

  protected override readBody(limit: number): Promise<Uint8Array> {
    if (this.#signal?.aborted === true) return Promise.reject(bodyAborted());
    if (this.#body.length > limit) return Promise.reject(entityTooLarge(limit));
    return Promise.resolve(this.#body);
  }

  #leave(): void {
    if (this.#isGone || this.#isFinished) return;
    this.#isGone = true;
    this.#stream.fail(this.#signal?.reason ?? new Error('the reader left'));
    for (const run of this.#goneListeners.splice(0)) run();
  }
}

/** Throws for characters that HTTP forbids, as over a socket: who passes the answer on could not send it. */
function responseHead({ status, headers, contentLength, warnings }: ResponseHead): LocalResponseHead {
  const all: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) all[name] = [value].flat().map((one) => validHeader(name, one)).join(', ');
  if (contentLength !== undefined) all['content-length'] = String(contentLength);
  if (warnings.length > 0) all['warning'] = [...[headers['warning'] ?? []].flat(), ...warnings].join(', ');
  return { status, headers: all, warnings };
}
