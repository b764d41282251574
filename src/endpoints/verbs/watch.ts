import { setMaxListeners } from 'node:events';
import { parseIncludeObject } from '#api';
import { canBeFramed, streamNotAcceptable } from '#codec';
import { ApiError, internalError } from '#errors';
import { list, parseRevision, toApiError, watch as follow, type EventSink, type Registry, type WatchQuery, type WatchWishes } from '#registry';
import type { Outlet, Reply } from '#request';
import { codecOf } from '../encode-stored.ts';
import { badVersion, readListOptions, readSelection, type ListOptions } from '../selection.ts';
import type { VerbContext, VerbHandler } from '../verb-context.ts';
import { createWatchSender, type WatchSender } from '../watch-sender.ts';
import { acceptWebsocket, wantsWebsocket } from '../websocket/handshake.ts';
import { WebsocketOutlet } from '../websocket/websocket-outlet.ts';

/** Answers at once with a stream; what goes wrong later is an ERROR event. @spec 4.5 */
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

/** A watch for those who can read messages but no stream: browsers. */
function websocketReply(context: VerbContext, run: (out: Outlet) => Promise<void>): Reply {
  const answer = acceptWebsocket(context.request);
  if ('refusal' in answer) return answer.refusal;
  return {
    status: 101,
    headers: answer.headers,
    stream: () => Promise.resolve(),
    tunnel: async (client) => {
      const out = new WebsocketOutlet(client, codecOf(context));
      await run(out);
      out.end();
      await out.closed;
    },
  };
}

function readStart(text: string): WatchQuery['since'] {
  if (text === '') return 'latest';
  if (text === '0') return 'any';
  const revision = parseRevision(text);
  if (revision === undefined) throw badVersion(text, 'cache');
  return revision;
}

/** One watch from its beginning to its end. Thousands may wait at a time: it keeps no more than it needs to go on, nothing of the request. */
class RunningWatch implements EventSink {
  readonly #out: Outlet;
  readonly #sender: WatchSender;

  constructor(context: VerbContext, out: Outlet) {
    this.#out = out;
    this.#sender = createWatchSender(context, out);
  }

  /** Resolves when the watch has ended, whoever ended it, and what was sent is written. */
  run({ env, registry }: VerbContext, selection: ReturnType<typeof readSelection>, wishes: WatchWishes): Promise<void> {
    const { signal } = this.#out;
    const { gone } = registry.resource;
    if (signal.aborted || gone?.aborted === true) return Promise.resolve();
    const ended = this.#whenEnded(env.clock.after(wishes.endsInMs, () => this.end()));
    if (gone !== undefined) {
      // As many listen as there are watches of the kind: that is no leak to be warned of.
      setMaxListeners(0, gone);
      gone.addEventListener('abort', () => void reachHead(registry).finally(() => this.end()), { once: true, signal });
    }
    const begun = follow(registry, selection, wishes, this, signal).catch((cause: unknown) => {
      this.end(cause instanceof Error ? cause : internalError('the watch could not begin', cause));
    });
    // What it begins with may still be on its way, and so may be why it cannot begin.
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

  events(batch: Parameters<EventSink['events']>[0]): boolean {
    return this.#sender.events(batch);
  }

  drained(): Promise<void> {
    return this.#sender.drained();
  }

  end(cause?: Error): void {
    if (cause !== undefined) this.#sender.failure(asApiError(cause));
    this.#out.shutdown();
  }
}

/**
 * Resolves when the watches of a resource have been sent everything that was stored before. Nobody can ask for a kind that is gone: its
 * watches are the only ones who can still tell how its objects went.
 */
async function reachHead(registry: Registry): Promise<void> {
  try {
    await list(registry, { namespace: '', freshness: 'latest', limit: 1 });
  } catch {
    // A store that cannot be asked has nothing more to tell either.
  }
}

function asApiError(cause: unknown): ApiError {
  const known = toApiError(cause);
  return known instanceof ApiError ? known : internalError('the watch broke off', cause);
}

/**
 * A watch that sets no limit ends after a while of its own, so that clients spread over servers again. In whole seconds: timers of the same
 * length share what they cost.
 */
function watchMs({ env }: VerbContext, options: ListOptions): number {
  if (options.timeoutSeconds !== undefined && options.timeoutSeconds > 0) return options.timeoutSeconds * 1000;
  return Math.round(env.limits.minWatchSeconds * (1 + Math.random())) * 1000;
}
