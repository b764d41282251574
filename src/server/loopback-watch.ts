import { abortedBy, parseWrittenJson } from '#base';
import { exchange, type LocalResponse, type LocalRequest } from '#http';
import type { Identified, Next, Outlet, StreamReply } from '#request';
import { LineSplitter } from '#transport';
import { handleAs, type LoopbackUser } from './loopback.ts';

/** The watch of a consumer that is this many events behind is closed; the consumer resumes it where it stopped. */
const MAX_WAITING = 20_000;

export type LoopbackEvents = LocalResponse | { readonly events: AsyncIterable<readonly unknown[]> };

/**
 * Watches for code inside the server. Events are delivered as values, which must not be changed: the watch cache shares them. Those of an aggregated
 * server arrive as bytes, as its answers do that are no watch.
 */
export function createLoopbackWatch(dispatch: Next<Identified>, user: LoopbackUser): (request: LocalRequest) => Promise<LoopbackEvents> {
  const handle = handleAs(dispatch, user);
  return async (request) => {
    let begin: StreamReply['stream'] | undefined;
    const answer = await exchange(
      async (received) => {
        const reply = await handle(received);
        if (!('stream' in reply) || reply.status !== OK) return reply;
        begin = reply.stream;
        return { status: reply.status, headers: reply.headers, body: new Uint8Array(0) };
      },
      { ...request, headers: { 'user-agent': user.agent, ...request.headers } },
    );
    return begin === undefined ? answer : { events: new Events(begin, request.signal) };
  };
}

const OK = 200;

/** Events delivered at once: a consumer yields to the event loop between two batches. */
const MAX_BATCH = 64;

/** The events of a watch, for one consumer. The watch begins with the first read. */
class Events implements Outlet, AsyncIterable<readonly unknown[]> {
  readonly signal: AbortSignal;
  readonly #begin: (out: Outlet) => Promise<void>;
  readonly #leaving: AbortController;
  readonly #lines = new LineSplitter();
  #waiting: unknown[] = [];
  #isOver = false;
  #failure: Error | undefined;
  #wake = (): void => {};

  constructor(begin: (out: Outlet) => Promise<void>, signal: AbortSignal | undefined) {
    this.#begin = begin;
    this.#leaving = abortedBy(signal);
    this.signal = this.#leaving.signal;
  }

  readonly take = (events: readonly unknown[]): boolean => {
    for (const event of events) this.#waiting.push(event);
    this.#wake();
    const isTooSlow = this.#waiting.length > MAX_WAITING;
    if (isTooSlow) this.#leaving.abort();
    return !isTooSlow;
  };

  open(): void {
    // There is no head: the events are at hand before the watch begins.
  }

  /** Takes the events of another server, one a line. Throws for a line that is not JSON. */
  write(chunk: Uint8Array): boolean {
    return this.take(Array.from(this.#lines.split(chunk), (line) => parseWrittenJson(line)));
  }

  drained(): Promise<void> {
    return Promise.resolve();
  }

  shutdown(): void {
    this.#leaving.abort();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly unknown[]> {
    void this.#run();
    try {
      for (;;) {
        const batch = this.#waiting;
        this.#waiting = [];
        for (let at = 0; at < batch.length; at += MAX_BATCH) yield batch.slice(at, at + MAX_BATCH);
        if (this.#waiting.length > 0) continue;
        if (this.#failure !== undefined) throw this.#failure;
        if (this.#isOver) return;
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.#leaving.abort();
    }
  }

  async #run(): Promise<void> {
    try {
      await this.#begin(this);
    } catch (cause) {
      this.#failure = cause instanceof Error ? cause : new Error('the watch broke off', { cause });
    }
    this.#isOver = true;
    this.#wake();
  }
}
