import { notFound } from '#errors';
import { groupResourceOf, type FieldValue, type ObjectKey } from '#api';
import type { EventSink, Freshness, Listing, Stored, WatchQuery } from '#storage';
import { inApiTerms, throwInApiTerms } from './failures.ts';
import type { Registry } from './registry.ts';

/** Selects objects of a resource. */
export interface Selection {
  /** Empty: all namespaces, or a cluster-scoped kind. */
  readonly namespace: string;
  /** Only the object of this name. */
  readonly name?: string;
  /** Selects among the objects of the namespace and name. Absent: all of them. */
  readonly matches?: (stored: Stored) => boolean;
  /** Identifies `matches`: selections of a resource with the same text select the same objects. Absent: results cannot be shared. */
  readonly matchesText?: string;
  /** A field that all objects selected by `matches` have with this value. */
  readonly required?: FieldValue;
  readonly freshness: Freshness;
  readonly limit?: number;
  /** The key to begin at, from a continue token. */
  readonly from?: string;
}

/** Reads one object. Throws `NotFound`. @spec 4.6 */
export function get(of: Registry, key: ObjectKey, freshness: Freshness): Promise<Stored> {
  const found = (stored: Stored | undefined): Stored => {
    if (stored === undefined) throw notFound(groupResourceOf(of.resource), key.name);
    return stored;
  };
  try {
    return of.objects.get(of.keyOf(key), freshness).then(found, throwInApiTerms);
  } catch (cause) {
    return throwInApiTerms(cause);
  }
}

/** Lists objects. Throws `Expired` for a compacted resourceVersion. @spec 4.4 @spec 4.6 */
export function list(of: Registry, selection: Selection): Promise<Listing> {
  return inApiTerms(() =>
    of.objects.list({
      prefix: prefixOf(of, selection),
      freshness: selection.freshness,
      from: selection.from,
      limit: selection.limit,
      matches: selection.matches,
      matchesText: selection.matchesText,
    }),
  );
}

/** The options of a watch. */
export interface WatchOptions {
  readonly since: WatchQuery['since'];
  readonly bookmarks: boolean;
  /** After how many milliseconds the watch ends. */
  readonly endsInMs: number;
  /** Once it aborts, the watch ends behind everything that is stored by then. */
  readonly closing?: AbortSignal | undefined;
}

/** Starts a watch. Resolves when it is registered and the receiver has taken the initial state. @spec 4.5 */
export async function watch(of: Registry, selection: Omit<Selection, 'freshness'>, options: WatchOptions, sink: EventSink, signal: AbortSignal): Promise<void> {
  const { matches, matchesText, required } = selection;
  const query: WatchQuery = { prefix: prefixOf(of, selection), ...options, matches, matchesText, required };
  return inApiTerms(() => of.objects.watch(query, sink, signal));
}

/** Whether the selection is one key. A name without a namespace is not: every object has to be examined. */
const isOneObject = (of: Registry, { namespace, name }: Pick<Selection, 'namespace' | 'name'>): boolean =>
  name !== undefined && (namespace !== '' || of.resource.kind.scope === 'Cluster');

/** The key of the selected object, or the prefix of the collection. */
function prefixOf(of: Registry, selection: Pick<Selection, 'namespace' | 'name'>): string {
  return isOneObject(of, selection) ? of.keyOf({ namespace: selection.namespace, name: selection.name ?? '' }) : of.prefixOf(selection.namespace);
}
