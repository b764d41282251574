import type { Freshness, Revision } from '#storage';

/**
 * Who answers a read, and when. `cache`: the present state in memory, at once, once it shows the newest revision of the store (`head`), or
 * once it shows a certain one. `engine`: only the store knows the past.
 */
export type Route = { readonly from: 'cache'; readonly once: 'now' | 'head' | Revision } | { readonly from: 'engine'; readonly at: Revision };

const NOW: Route = { from: 'cache', once: 'now' };
const HEAD: Route = { from: 'cache', once: 'head' };

/** @spec 4.6 */
export function routeRead(freshness: Freshness): Route {
  if (freshness === 'latest') return HEAD;
  if (freshness === 'any') return NOW;
  return 'exactly' in freshness ? { from: 'engine', at: freshness.exactly } : { from: 'cache', once: freshness.notOlderThan };
}
