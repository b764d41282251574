export { decodeContinueToken, encodeContinueToken, type ContinueToken } from './continue-token.ts';
export { createObjectStore, type DirectStore, type ObjectStoreOptions } from './direct-store.ts';
export {
  StorageFailure,
  type Change,
  type Commit,
  type Driver,
  type Engine,
  type EngineOptions,
  type Entry,
  type Feed,
  type Key,
  type Page,
  type Revision,
  type Scan,
  type StorageFailureCode,
  type Write,
} from './engine.ts';
export { isKeyComponent, keyOf, prefixOf, type CollectionPlace, type ObjectPlace } from './keys.ts';
export type {
  Decide,
  Decision,
  EventSink,
  Freshness,
  Listing,
  ObjectStore,
  Query,
  Stored,
  WatchEvent,
  WatchQuery,
  WriteHints,
  Written,
} from './object-store.ts';
export { openEngine, type OpenOptions } from './open.ts';
export { formatRevision, parseRevision } from './revision.ts';
export { createStored, type KindCodec } from './stored.ts';
