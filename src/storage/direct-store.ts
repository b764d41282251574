import { systemClock, type Clock } from '#base';
import type { ApiObject } from '#api';
import type { Engine } from './engine.ts';
import type { Key } from './entry.ts';
import type { ObjectStore } from './object-store.ts';
import { get, list } from './read.ts';
import type { KindCodec } from './stored.ts';
import { WatchHub } from './watch.ts';
import { write } from './write.ts';

/** What a store without a watch cache is made of. */
export interface ObjectStoreOptions<T extends ApiObject = ApiObject> {
  readonly engine: Engine;
  readonly kindCodec: KindCodec<T>;
  /** The key prefix of the resource (`prefixOf`). With it all watches of the resource share one feed; without, those of the same prefix do. */
  readonly prefix?: Key;
  readonly clock?: Clock;
}

/** An `ObjectStore` without a cache: each read asks the engine. */
export interface DirectStore<T extends ApiObject = ApiObject> extends ObjectStore<T> {
  /** Sends a bookmark at once to every watch that asked for bookmarks. */
  bookmark(): void;
}

/** An object store over an engine. The caller closes the engine. */
export function createObjectStore<T extends ApiObject = ApiObject>(options: ObjectStoreOptions<T>): DirectStore<T> {
  const { engine, kindCodec: codec, clock = systemClock, prefix } = options;
  const hub = new WatchHub<T>({ engine, codec, clock, prefix });
  return {
    get: (key, freshness) => get(engine, codec, key, freshness),
    list: (query) => list(engine, codec, query),
    write: (key, decide, hints) => write(engine, codec, key, decide, hints),
    watch: (query, sink, signal) => hub.watch(query, sink, signal),
    bookmark: () => hub.bookmark(),
  };
}
