import { setMaxListeners } from 'node:events';
import { parseIncludeObject } from '#api';
import { canBeFramed, streamNotAcceptable, websocketFrame, type Codec } from '#codec';
import { ApiError, internalError } from '#errors';
import { parseRevision, toApiError, watch as follow, type EventSink, type WatchQuery, type WatchOptions } from '#registry';
import type { Outlet, Reply } from '#request';
import { codecOf } from '../encode-stored.ts';
import { badVersion } from '../freshness.ts';
import { readListOptions, type ListOptions } from '../list-options.ts';
import { readSelection } from '../selection.ts';
import type { VerbContext, VerbHandler } from '../verb-context.ts';
import { createWatchSender, type WatchSender } from '../watch-sender.ts';
import { acceptWebsocket, wantsWebsocket } from '../websocket/handshake.ts';
import { WebsocketOutlet } from '../websocket/websocket-outlet.ts';

/** Replies with a stream; what prevents or ends the watch is an ERROR event. @spec 4.5 */
export const watch: VerbHandler = async (context) => {
  const options = readListOptions(context);
  const selection = readSelection(context, options);
  const since = readStart(options.resourceVersion);
  if (context.accepted.as === 'Table') parseIncludeObject(context.request.query.get('includeObject') ?? '');
  if (!canBeFramed(context.accepted.codec)) throw streamNotAcceptable(context.env.catalog.brand);
  const run = (out: Outlet): Promise<void> => {
    const wishes = { since, bookmarks: options.bookmarks, endsInMs: watchMs(context, options) };
    return new RunningWatch(context, out).run(context, selection, wishes);
  };
  if (wantsWebsocket(context.request)) return websocketReply(context, run);
  return { status: 200, headers: { 'content-type': codecOf(context).streamMediaType }, stream: run };
};

/** A watch over a WebSocket, for browsers, which can read messages but no stream. */
function websocketReply(context: VerbContext, run: (out: Outlet) => Promise<void>): Reply {
  const answer = acceptWebsocket(context.request);
  if ('refusal' in answer) return answer.refusal;
  return {
    status: 101,
    headers: answer.headers,
    stream: () => Promise.resolve(),
    tunnel: async (client) => {
      const out = new WebsocketOutlet(client, eventMessages(codecOf(context)));
      await run(out);
      out.end();
      await out.closed;
    },
  };
}

/** A message of an event, without the prefix that the event has in a stream: a message carries its own length. */
const eventMessages = ({ frameHeadBytes, isText }: Codec) => (frame: Uint8Array): Uint8Array => websocketFrame(isText ? 'text' : 'binary', frame.subarray(frameHeadBytes));

function readStart(text: string): WatchQuery['since'] {
  if (text === '') return 'latest';
  if (text === '0') return 'any';
  const revision = parseRevision(text);
  if (revision === undefined) throw badVersion(text, 'cache');
  return revision;
}

/** One running watch. Thousands may be open at a time: it holds only what it needs to continue, and nothing of the request. */
class RunningWatch implements EventSink {
  readonly #out: Outlet;
  readonly #sender: WatchSender;

  constructor(context: VerbContext, out: Outlet) {
    this.#out = out;
    this.#sender = createWatchSender(context, out);
  }

  /** Resolves when the watch has ended, for whatever reason, and all its frames are written. */
  run({ env, registry }: VerbContext, selection: ReturnType<typeof readSelection>, wishes: WatchOptions): Promise<void> {
    const { signal } = this.#out;
    const { gone } = registry.resource;
    if (signal.aborted || gone?.aborted === true) return Promise.resolve();
    // There is one listener per watch of the kind, so Node's warning of a leak does not apply.
    if (gone !== undefined) setMaxListeners(0, gone);
    const ended = this.#whenEnded(env.clock.after(wishes.endsInMs, () => this.end()));
    // Only open watches can report how the last objects of a kind were deleted, also one that has not told all it begins with.
    const begun = follow(registry, selection, { ...wishes, closing: gone }, this, signal).catch((cause: unknown) => {
      this.end(cause instanceof Error ? cause : internalError('the watch could not begin', cause));
    });
    // The initial events, or the error that prevents the watch, may not be sent yet.
    return ended.then(() => begun).then(() => this.#sender.drained());
  }

  #whenEnded(cancelTimer: () => void): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancelTimer();
        resolve();
      };
      this.#out.signal.addEventListener('abort', end, { once: true });
    });
  }

  /** Only now the client hears that it watches: what it writes from then on, it sees as a change. */
  begun(): void {
    this.#out.open();
  }

  events(batch: Parameters<EventSink['events']>[0]): boolean {
    return this.#sender.events(batch);
  }

  drained(): Promise<void> | undefined {
    return this.#sender.drained();
  }

  end(cause?: Error): void {
    if (cause !== undefined) this.#sender.failure(asApiError(cause));
    this.#out.shutdown();
  }
}

function asApiError(cause: unknown): ApiError {
  const known = toApiError(cause);
  return known instanceof ApiError ? known : internalError('the watch broke off', cause);
}

/**
 * The duration of a watch. One without `timeoutSeconds` ends after a random time, so that clients spread over servers again, and one of less than no
 * time at once. In whole seconds: timers of the same duration share their cost.
 */
function watchMs({ env }: VerbContext, options: ListOptions): number {
  const { timeoutSeconds = 0 } = options;
  if (timeoutSeconds !== 0) return Math.max(0, timeoutSeconds) * 1000;
  return Math.round(env.limits.minWatchSeconds * (1 + Math.random())) * 1000;
}
