import type { Freshness, Revision } from '#storage';

/** What memory must show before it answers: what it shows now, the newest revision of the store (`head`), or a certain one. */
export type Once = 'now' | 'head' | Revision;

/**
 * Who answers a read, and when. `cache`: the present state in memory, once it shows what is wanted. `engine`: only the store knows
 * the past.
 */
export type Route = { readonly from: 'cache'; readonly once: Once } | { readonly from: 'engine'; readonly at: Revision };

const NOW: Route = { from: 'cache', once: 'now' };
const HEAD: Route = { from: 'cache', once: 'head' };

/** The way of a read that must be so new. @spec 4.6 */
export function routeRead(freshness: Freshness): Route {
  if (freshness === 'latest') return HEAD;
  if (freshness === 'any') return NOW;
  return 'exactly' in freshness ? { from: 'engine', at: freshness.exactly } : { from: 'cache', once: freshness.notOlderThan };
}
