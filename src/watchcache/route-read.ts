import type { Freshness, Revision } from '#storage';

/** The revision that the cache must have reached before it answers: any (`now`), the newest of the store (`head`), or a certain one. */
export type WaitFor = 'now' | 'head' | Revision;

/**
 * What answers a read. `cache`: the current state in memory, once it is new enough. `engine`: the store at an exact revision, because the cache has
 * only the current state.
 */
export type ReadRoute = { readonly from: 'cache'; readonly waitFor: WaitFor } | { readonly from: 'engine'; readonly at: Revision };

const NOW: ReadRoute = { from: 'cache', waitFor: 'now' };
const HEAD: ReadRoute = { from: 'cache', waitFor: 'head' };

/** The route of a read with this freshness. @spec 4.6 */
export function routeRead(freshness: Freshness): ReadRoute {
  if (freshness === 'latest') return HEAD;
  if (freshness === 'any') return NOW;
  return 'exactly' in freshness ? { from: 'engine', at: freshness.exactly } : { from: 'cache', waitFor: freshness.notOlderThan };
}
