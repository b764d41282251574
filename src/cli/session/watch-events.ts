import { listAt, memberIn, stayAlive, systemClock, textAt } from '#base';
import { backoffMs, queryOf, statusError, wait, type Client } from '#client';
import type { Selection } from './list-pages.ts';

export interface WatchEvent {
  readonly type: string;
  readonly object: unknown;
}

/** Delay before a reconnect. It applies only after a stream without any event: servers end streams regularly. */
const BACKOFF = { firstMs: 200, longestMs: 30_000 };

/**
 * The watch events after `resourceVersion`, until `signal` aborts. Reconnects at the last resourceVersion when the server ends a stream, and keeps
 * the process alive. Throws `ApiError` for an error event or response, and `TransportFailure` when the connection fails.
 */
export async function* watchEvents(client: Client, selection: Selection, resourceVersion: string, signal: AbortSignal, clock = systemClock): AsyncIterable<WatchEvent> {
  const { path, accept, labelSelector, fieldSelector } = selection;
  const letGo = stayAlive();
  let from = resourceVersion;
  let silent = 0;
  try {
    while (!signal.aborted) {
      const query = queryOf({ labelSelector, fieldSelector, watch: true, allowWatchBookmarks: true, resourceVersion: from });
      for await (const events of await client.follow({ method: 'GET', path: path + query, headers: { accept }, signal })) {
        silent = 0;
        for (const event of events) {
          const type = textAt(event, 'type');
          const object = memberIn(event, 'object');
          if (type === 'ERROR') throw statusError(object, 500);
          from = versionOf(object) || from;
          if (type !== 'BOOKMARK') yield { type, object };
        }
      }
      if (silent > 0) await wait(clock, backoffMs(BACKOFF, silent), signal);
      silent++;
    }
  } finally {
    letGo();
  }
}

/** The resourceVersion of an object, or of the first row of a Table. */
const versionOf = (object: unknown): string =>
  textAt(object, 'metadata', 'resourceVersion') || textAt(listAt(object, 'rows')[0], 'object', 'metadata', 'resourceVersion');
