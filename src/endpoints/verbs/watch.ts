import { deferred } from '#base';
import { ApiError, internalError } from '#errors';
import { list, parseRevision, toApiError, watch as follow, type EventSink, type Registry, type WatchQuery } from '#registry';
import type { Outlet } from '#request';
import { codecOf } from '../encode-stored.ts';
import { badVersion, readListOptions, readSelection, type ListOptions } from '../selection.ts';
import type { VerbContext, VerbHandler } from '../verb-context.ts';
import { createWatchSender } from '../watch-sender.ts';

/** Answers at once with a stream; what goes wrong later is an ERROR event. @spec 4.5 */
export const watch: VerbHandler = async (context) => {
  const options = readListOptions(context, true);
  const selection = readSelection(context);
  const since = readStart(options.resourceVersion);
  return {
    status: 200,
    headers: { 'content-type': codecOf(context).streamMediaType },
    // Events show items: there is nothing to send to who asks for lists.
    stream: async (out) => (context.accepted.as === 'PartialObjectMetadataList' ? undefined : stream(context, options, selection, since, out)),
  };
};

function readStart(text: string): WatchQuery['since'] {
  if (text === '') return 'latest';
  if (text === '0') return 'any';
  const revision = parseRevision(text);
  if (revision === undefined) throw badVersion(text, true);
  return revision;
}

/** Resolves when the watch has ended, whoever ended it, and what was sent is written. */
async function stream(
  context: VerbContext,
  options: ListOptions,
  selection: ReturnType<typeof readSelection>,
  since: WatchQuery['since'],
  out: Outlet,
): Promise<void> {
  const { env, registry } = context;
  const ending = new AbortController();
  const ended = deferred<void>();
  const end = (): void => {
    ending.abort();
    ended.resolve();
  };
  if (out.signal.aborted) return;
  out.signal.addEventListener('abort', end, { once: true });
  const { gone } = registry.resource;
  if (gone?.aborted === true) return;
  gone?.addEventListener('abort', () => void reachHead(registry).finally(end), { once: true, signal: ending.signal });
  const endsInMs = watchMs(context, options);
  const cancel = env.clock.after(endsInMs, end);
  const sender = createWatchSender(context, out);
  const sink: EventSink = {
    events: (batch) => sender.events(batch),
    drained: () => sender.drained(),
    end(cause) {
      if (cause !== undefined) sender.failure(asApiError(cause));
      end();
    },
  };
  try {
    await follow(registry, selection, { since, bookmarks: options.bookmarks, endsInMs }, sink, ending.signal);
  } catch (cause) {
    sink.end(cause instanceof Error ? cause : internalError('the watch could not begin', cause));
  }
  await ended.promise;
  cancel();
  await sender.drained();
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

/** A watch that sets no limit ends after a while of its own, so that clients spread over servers again. */
function watchMs({ env }: VerbContext, options: ListOptions): number {
  if (options.timeoutSeconds !== undefined && options.timeoutSeconds > 0) return options.timeoutSeconds * 1000;
  return env.limits.minWatchSeconds * (1 + Math.random()) * 1000;
}
