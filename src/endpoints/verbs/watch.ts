import { ApiError, internalError } from '#errors';
import { toApiError, watch as follow } from '#registry';
import type { Outlet } from '#request';
import { parseRevision, type WatchQuery } from '#registry';
import { frameEvent, frameFailure } from '../represent-event.ts';
import { codecOf } from '../encode-stored.ts';
import { badVersion, readListOptions, readSelection, type ListOptions } from '../selection.ts';
import type { VerbContext, VerbHandler } from '../verb-context.ts';
import { pumpFrames } from '../watch-pump.ts';

/** Answers at once with a stream; what goes wrong later is an ERROR event. @spec 4.5 */
export const watch: VerbHandler = async (context) => {
  const options = readListOptions(context, true);
  const selection = readSelection(context);
  const since = readStart(options.resourceVersion);
  const codec = codecOf(context);
  return {
    status: 200,
    headers: { 'content-type': codec.streamMediaType },
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

async function stream(
  context: VerbContext,
  options: ListOptions,
  selection: ReturnType<typeof readSelection>,
  since: WatchQuery['since'],
  out: Outlet,
): Promise<void> {
  const ended = new AbortController();
  const signal = AbortSignal.any([out.signal, ended.signal]);
  const cancel = context.env.clock.after(watchMs(context, options), () => ended.abort());
  const pump = pumpFrames(out, context.env.limits.maxWatchBufferBytes, () => ended.abort());
  let isFirst = true;
  let isStarting = true;
  try {
    await follow(
      context.registry,
      selection,
      since,
      options.bookmarks,
      {
        events(batch) {
          const frames = batch.map((event, at) => frameEvent(context, event, isFirst && at === 0));
          isFirst = false;
          return pump.push(frames, isStarting);
        },
        end(cause) {
          if (cause !== undefined) pump.push([frameFailure(context, asApiError(cause))], true);
          ended.abort();
        },
      },
      signal,
    );
    isStarting = false;
  } catch (cause) {
    pump.push([frameFailure(context, asApiError(cause))], true);
    ended.abort();
  }
  await pump.finish(signal);
  cancel();
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
