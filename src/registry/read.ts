import { notFound } from '#errors';
import type { ObjectKey } from '#api';
import type { EventSink, Freshness, Listing, Stored, WatchQuery } from '#storage';
import { inApiTerms, throwInApiTerms } from './failures.ts';
import type { Registry } from './registry.ts';

/** Which objects of a resource. */
export interface Selection {
  /** Empty: all namespaces, or a cluster-scoped kind. */
  readonly namespace: string;
  /** Only this one. */
  readonly name?: string;
  /** Whether an object is meant that lies where the rest of the selection says. Absent: all of them are. */
  readonly matches?: (stored: Stored) => boolean;
  /** The selectors as a text: selections of a resource with the same text take the same objects. Absent: `matches` may do anything. */
  readonly matchesText?: string;
  readonly freshness: Freshness;
  readonly limit?: number;
  /** Key to begin at. */
  readonly from?: string;
}

/** Throws `NotFound`. @spec 4.6 */
export function get(of: Registry, key: ObjectKey, freshness: Freshness): Promise<Stored> {
  const found = (stored: Stored | undefined): Stored => {
    if (stored === undefined) throw notFound({ group: of.resource.group, resource: of.resource.plural }, key.name);
    return stored;
  };
  try {
    return of.objects.get(of.keyOf(key), freshness).then(found, throwInApiTerms);
  } catch (cause) {
    return throwInApiTerms(cause);
  }
}

/** Throws `Expired` for versions no longer kept. @spec 4.4 @spec 4.6 */
export function list(of: Registry, selection: Selection): Promise<Listing> {
  return inApiTerms(() =>
    of.objects.list({
      prefix: prefixOf(of, selection),
      freshness: selection.freshness,
      ...(selection.from === undefined ? {} : { from: selection.from }),
      ...(selection.limit === undefined ? {} : { limit: selection.limit }),
      ...(selection.matches === undefined ? {} : { matches: selection.matches }),
      ...(selection.matchesText === undefined ? {} : { matchesText: selection.matchesText }),
    }),
  );
}

/** What a watch is to show besides the objects. */
export interface WatchWishes {
  readonly since: WatchQuery['since'];
  readonly bookmarks: boolean;
  /** When the watch will be ended. */
  readonly endsInMs: number;
}

/** Resolves when the watch is registered and what it begins with was taken. @spec 4.5 */
export async function watch(of: Registry, selection: Omit<Selection, 'freshness'>, wishes: WatchWishes, sink: EventSink, signal: AbortSignal): Promise<void> {
  const { matches, matchesText } = selection;
  const query: WatchQuery = {
    prefix: prefixOf(of, selection),
    ...wishes,
    ...(matches === undefined ? {} : { matches }),
    ...(matchesText === undefined ? {} : { matchesText }),
  };
  return inApiTerms(() => of.objects.watch(query, sink, signal));
}

/** Whether there is no more than one object to look at. A name in all namespaces is found by looking at every object. */
const isOneObject = (of: Registry, { namespace, name }: Pick<Selection, 'namespace' | 'name'>): boolean =>
  name !== undefined && (namespace !== '' || of.resource.kind.scope === 'Cluster');

/** One name is one key. */
function prefixOf(of: Registry, selection: Pick<Selection, 'namespace' | 'name'>): string {
  return isOneObject(of, selection) ? of.keyOf({ namespace: selection.namespace, name: selection.name ?? '' }) : of.prefixOf(selection.namespace);
}
