import { isJsonObject, memberOf } from '#base';
import type { ApiObject } from '#api';
import type { ApiError } from '#errors';
import { collectionPath, queryOf, type ApiResource } from './api-resource.ts';
import { statusError, type Caller } from './call.ts';

/** Which changes to watch, and from where. */
export interface WatchOptions {
  /** Absent: of all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Changes after this version; absent: first the existing objects, then changes. */
  readonly resourceVersion?: string;
  /** Request bookmarks. */
  readonly bookmarks?: boolean;
  readonly timeoutSeconds?: number;
  readonly signal?: AbortSignal;
}

/** A watch event. Of a `BOOKMARK` only `metadata.resourceVersion` is meaningful. @spec 4.5 */
export interface WatchEvent<T extends ApiObject = ApiObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
}

const TYPES: ReadonlySet<unknown> = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);

/** Opens a watch. Resolves once the server has accepted it; ERROR events are thrown. Events come in batches, none of them empty. */
export async function openWatch<T extends ApiObject>(
  caller: Caller,
  resource: ApiResource,
  options: WatchOptions,
  headers: Readonly<Record<string, string>>,
): Promise<AsyncIterable<readonly WatchEvent<T>[]>> {
  const { namespace, labelSelector, fieldSelector, resourceVersion, bookmarks, timeoutSeconds, signal } = options;
  const query = queryOf({ labelSelector, fieldSelector, watch: true, resourceVersion, allowWatchBookmarks: bookmarks, timeoutSeconds });
  const path = collectionPath(resource, namespace) + query;
  return readEvents<T>(await caller.follow({ method: 'GET', path, headers, ...(signal === undefined ? {} : { signal }) }));
}

/** The same watch, event by event. */
export async function* eachOf<T extends ApiObject>(batches: AsyncIterable<readonly WatchEvent<T>[]>): AsyncGenerator<WatchEvent<T>> {
  for await (const batch of batches) yield* batch;
}

async function* readEvents<T extends ApiObject>(batches: AsyncIterable<readonly unknown[]>): AsyncGenerator<readonly WatchEvent<T>[]> {
  for await (const values of batches) {
    const { events, failure } = eventsOf<T>(values);
    if (events.length > 0) yield events;
    if (failure !== undefined) throw failure;
  }
}

/** The events before the first ERROR, and that error. */
function eventsOf<T extends ApiObject>(values: readonly unknown[]): { readonly events: readonly WatchEvent<T>[]; readonly failure?: ApiError } {
  const events: WatchEvent<T>[] = [];
  for (const value of values) {
    if (!isJsonObject(value)) continue;
    const type = memberOf(value, 'type');
    const object = memberOf(value, 'object');
    if (type === 'ERROR') return { events, failure: statusError(object, 500) };
    // Unknown event types are skipped.
    if (TYPES.has(type) && isJsonObject(object)) events.push({ type, object } as unknown as WatchEvent<T>);
  }
  return { events };
}
