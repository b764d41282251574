import { afterAwake, silentLog, systemClock, takeTurns, type Clock, type Log } from '#base';
import { serviceUnavailable } from '#errors';
import { wholeReply, type Received, type Reply } from '#request';
import { errorReply } from './error-reply.ts';
import type { CloseOptions } from './listener.ts';
import { LocalExchange, type LocalResponse } from './local-exchange.ts';
import { checkRequest, type LocalRequest } from './local-request.ts';
import { Incoming } from './received.ts';
import { sendReply, type SendOptions } from './reply.ts';

export interface ExchangeOptions {
  readonly log?: Log;
  readonly clock?: Clock;
}

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
      const received = new Incoming({ method, target, source, facts, clock: this.#clock });
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
