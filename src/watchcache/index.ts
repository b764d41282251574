export { openWatchCaches, type WatchCaches } from './open.ts';
export type { WatchCacheOptions } from './watch-cache.ts';
