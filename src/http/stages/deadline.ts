import { afterAwake, parseDurationMs } from '#base';
import { ApiError, badRequest, noDuration } from '#errors';
import { isLongRunning, type Next, type Reply, type Routed, type Stage, type StreamReply } from '#request';
import { notifyIfSlow, type WatchedOperation } from '../slow-operations.ts';
import { allowTime, endRequest, isAbandoned } from '../received.ts';

export interface DeadlineOptions {
  /** The timeout of requests without one of their own, and the longest that a request may ask for. Default 60 s. */
  readonly defaultMs?: number;
  /** Called for each request that exceeds its deadline. */
  readonly missed?: (request: Routed) => void;
}

/** The timeout of requests where none is configured. */
export const DEFAULT_REQUEST_TIMEOUT_MS = 60_000;

/**
 * Answers 504 when a request exceeds its deadline, and aborts its `signal`; an answer that is streamed breaks off by that. `?timeout=10s` shortens the
 * time. What the request has committed to the store by then stays committed; after that it commits nothing.
 */
export function deadline<C extends Routed>({ defaultMs = DEFAULT_REQUEST_TIMEOUT_MS, missed = () => {} }: DeadlineOptions = {}): Stage<C> {
  return (context, next) => {
    // Long-running requests have no deadline here.
    if (isLongRunning(context.info)) return next(context);
    let ms: number;
    try {
      ms = allowedMs(context, defaultMs);
    } catch (refusal) {
      return Promise.reject(refusal as Error);
    }
    allowTime(context, ms);
    return inTime(context, next, ms, missed);
  };
}

function allowedMs(context: Routed, defaultMs: number): number {
  const asked = context.query.get('timeout');
  if (asked === null || asked === '') return defaultMs;
  const askedMs = parseDurationMs(asked);
  if (askedMs === undefined) {
    throw badRequest(`invalid timeout specified in the request URL - ${noDuration(asked)}`);
  }
  return askedMs <= 0 ? defaultMs : Math.min(askedMs, defaultMs);
}

function inTime<C extends Routed>(context: C, next: Next<C>, ms: number, missed: (request: Routed) => void): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const deadline = new Deadline(context, ms, missed, reject);
    next(context).then(
      (reply) => {
        // Nobody streams an answer to HEAD, and connections that were handed over are open for as long as both want.
        const isStreamed = 'stream' in reply && reply.tunnel === undefined && context.method !== 'HEAD';
        if (!isStreamed) deadline.met();
        resolve(isStreamed ? deadline.untilSent(reply) : reply);
      },
      (failure: unknown) => {
        deadline.met();
        reject(failure as Error);
      },
    );
  });
}

/** From this timeout on, a timer is started only once the request has taken a while. */
const LONG_MS = 1_000;

class Deadline implements WatchedOperation {
  /** undefined: the response is there. A deadline that is still to be checked must not keep its request in memory. */
  #context: Routed | undefined;
  readonly #ms: number;
  readonly #missed: (request: Routed) => void;
  #reject: ((late: ApiError) => void) | undefined;
  #cancelTimer: (() => void) | undefined = undefined;

  constructor(context: Routed, ms: number, missed: (request: Routed) => void, reject: (late: ApiError) => void) {
    this.#context = context;
    this.#ms = ms;
    this.#missed = missed;
    this.#reject = reject;
    if (ms < LONG_MS) this.onSlow(0);
    else notifyIfSlow(this);
  }

  get isDone(): boolean {
    return this.#context === undefined;
  }

  onSlow(waitedMs: number): void {
    this.#cancelTimer = afterAwake(Math.max(0, this.#ms - waitedMs), () => this.#miss());
  }

  /** The same reply, whose end meets the deadline. */
  untilSent(reply: StreamReply): Reply {
    return { ...reply, stream: (out) => reply.stream(out).finally(() => this.met()) };
  }

  met(): void {
    this.#context = undefined;
    this.#reject = undefined;
    this.#cancelTimer?.();
  }

  #miss(): void {
    const late = new ApiError('Timeout', 'Timeout: request did not complete within the allotted timeout', {});
    this.#reject?.(late);
    if (this.#context === undefined || isAbandoned(this.#context)) return;
    this.#missed(this.#context);
    endRequest(this.#context, late);
  }
}
