import { systemClock, type Clock } from '#base';
import type { ApiObject } from '#api';
import { BOOKMARK_EVERY_MS, type Engine, type ObjectStore } from '#storage';
import { EngineFeed } from './feed.ts';
import { WatchCache, type CacheEnvironment, type WatchCacheOptions } from './watch-cache.ts';

/** The watch caches of a server, which share one feed of the engine. */
export interface WatchCaches {
  /** Creates the cache of a resource, which is empty until the resource is first read or watched. */
  createCache<T extends ApiObject>(options: WatchCacheOptions<T>): ObjectStore<T>;
}

/** The watch caches over an engine. The engine is followed only from the first read or watch on. */
export function openWatchCaches({ engine, clock = systemClock }: { readonly engine: Engine; readonly clock?: Clock }): WatchCaches {
  const feed = new EngineFeed(engine);
  // Weak: the cache of a resource that is served no more is held by its feed and its watches alone, and goes with them.
  const caches = new Set<WeakRef<{ readonly isKept: boolean; everyMinute(): void }>>();
  const isAnyKept = (): boolean => [...caches].some((cache) => cache.deref()?.isKept === true);
  let stop: (() => void) | undefined;
  const start = (): void => void (stop ??= clock.after(BOOKMARK_EVERY_MS, tick));
  const tick = (): void => {
    stop = undefined;
    for (const weak of caches) {
      const cache = weak.deref();
      if (cache === undefined) caches.delete(weak);
      else cache.everyMinute();
    }
    if (isAnyKept()) start();
  };
  const environment: CacheEnvironment = {
    engine,
    feed,
    clock,
    onStart: start,
    onLost() {
      if (isAnyKept()) return;
      // The timer would keep everything of a closed store in memory.
      stop?.();
      stop = undefined;
    },
  };
  return {
    createCache(options) {
      const cache = new WatchCache(environment, options);
      caches.add(new WeakRef(cache));
      return cache;
    },
  };
}
