import { listAt, memberIn, textAt } from '#base';
import { queryOf, statusError, type Client } from '#client';
import type { Selection } from './list-pages.ts';

export interface WatchEvent {
  readonly type: string;
  readonly object: unknown;
}

/**
 * Changes after `resourceVersion`, until `signal` is aborted. A stream that the server ends is taken up where it stopped.
 * Throws `ApiError` when the server says that it cannot go on, and `TransportFailure` when it is gone.
 */
export async function* watchEvents(client: Client, selection: Selection, resourceVersion: string, signal: AbortSignal): AsyncIterable<WatchEvent> {
  const { path, accept, labelSelector, fieldSelector } = selection;
  let from = resourceVersion;
  while (!signal.aborted) {
    const query = queryOf({ labelSelector, fieldSelector, watch: true, allowWatchBookmarks: true, resourceVersion: from });
    for await (const events of await client.follow({ method: 'GET', path: path + query, headers: { accept }, signal })) {
      for (const event of events) {
        const type = textAt(event, 'type');
        const object = memberIn(event, 'object');
        if (type === 'ERROR') throw statusError(object, 500);
        from = versionOf(object) || from;
        if (type !== 'BOOKMARK') yield { type, object };
      }
    }
  }
}

/** Of an object, or of the row a Table has for it. */
const versionOf = (object: unknown): string =>
  textAt(object, 'metadata', 'resourceVersion') || textAt(listAt(object, 'rows')[0], 'object', 'metadata', 'resourceVersion');
