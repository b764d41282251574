import { afterAwake, silentLog, systemClock, takeTurns, type Clock, type Log } from '#base';
import { serviceUnavailable } from '#errors';
import { wholeReply, type Received, type Reply } from '#request';
import { errorReply } from './error-reply.ts';
import type { CloseOptions } from './listener.ts';
import { checkRequest, rawHeadersOf, type LocalRequest } from './local-request.ts';
import { LocalStream } from './local-stream.ts';
import { bodyAborted, entityTooLarge } from './read-body.ts';
import { RequestSource, Incoming } from './received.ts';
import { sendReply, type SendOptions } from './reply.ts';
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

export interface ExchangeOptions {
  readonly log?: Log;
  readonly clock?: Clock;
}

const encoder = new TextEncoder();
const LOCAL = { hasBadClientCertificate: false } as const;

type Handle = (received: Received) => Promise<Reply>;

/**
 * Sends a request through the same contracts as a socket does, and resolves with the response, also where that is an error. Rejects only when
 * `signal` aborts. A row of requests lets the event loop turn from time to time, as sockets would.
 */
export const exchange = (handle: Handle, request: LocalRequest, options: ExchangeOptions = {}): Promise<LocalResponse> =>
  new LocalRequests(options).exchange(handle, request);

/** Requests without a socket, and the way to end those that are under way: what a listener is to requests over sockets. */
export class LocalRequests {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #openOutlets = new Set<{ shutdown(): void }>();
  readonly #sending: SendOptions;
  readonly #running = new Map<LocalExchange, { readonly received: Incoming; readonly ended: Promise<void> }>();
  #isClosing = false;

  constructor({ log = silentLog, clock = systemClock }: ExchangeOptions = {}) {
    this.#log = log;
    this.#clock = clock;
    this.#sending = { log, stallTimeoutMs: 0x7fff_ffff, openOutlets: this.#openOutlets, isClosing: () => this.#isClosing };
  }

  /** See `exchange`. */
  exchange(handle: Handle, request: LocalRequest): Promise<LocalResponse> {
    return new Promise((resolve, reject) => {
      checkRequest(request);
      const { method = 'GET', path: target, clientCertificate, proxyCertificate } = request;
      const source = new LocalExchange(request, resolve, reject);
      const facts = { ...LOCAL, ...(clientCertificate === undefined ? {} : { clientCertificate }), ...(proxyCertificate === undefined ? {} : { proxyCertificate }) };
      const received = new Incoming({ method, target, source: source, facts, clock: this.#clock });
      const begin = async (): Promise<void> => {
        // Its sender may have left while it waited for its turn, or have been answered that the server was closed.
        if (!source.isOver) await sendReply(await answer(handle, received, this.#log), received, source, this.#sending);
      };
      const ended = (takeTurns()?.then(begin) ?? begin()).then(() => void this.#running.delete(source));
      this.#running.set(source, { received, ended });
    });
  }

  /**
   * Lets running requests finish, asks streams to end, and resolves when all have ended. In the end streams are cut off, and what is not answered by
   * then answers 503.
   */
  async close({ graceMs }: CloseOptions): Promise<void> {
    this.#isClosing = true;
    for (const outlet of this.#openOutlets) outlet.shutdown();
    let cancel = (): void => {};
    const late = new Promise<void>((resolve) => (cancel = afterAwake(graceMs, resolve)));
    await Promise.race([this.#ended(), late]);
    cancel();
    for (const [source, { received }] of this.#running) this.#cutOff(source, received);
  }

  async #ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  #cutOff(source: LocalExchange, received: Incoming): void {
    const refusal = serviceUnavailable('this server was closed before the request was done: whether it took effect is not known');
    if (!source.isStreaming) void sendReply(errorReply(refusal, received, { log: this.#log }), received, source, this.#sending);
    source.abort(refusal);
    source.cut();
  }
}

async function answer(handle: Handle, received: Received, log: Log): Promise<Reply> {
  try {
    const reply = await handle(received);
    return 'pieces' in reply ? await wholeReply(reply) : reply;
  } catch (thrown) {
    return errorReply(thrown, received, { log });
  }
}

class LocalExchange extends RequestSource implements ResponseWriter {
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
