export { backUp, BUMP, checkBackup, checkStore, restore, type Checked, type Copied, type Progress } from './backup/upkeep.ts';
export { decodeContinueToken, encodeContinueToken, pageAfter, type ContinueToken } from './continue-token.ts';
export { createObjectStore, type DirectStore, type ObjectStoreOptions } from './direct-store.ts';
export { encrypted, type EncryptionRule } from './encryption/encrypted.ts';
export { createProvider, PROVIDER_NAMES, type ProviderName } from './encryption/providers.table.ts';
export type { Provider } from './encryption/provider.ts';
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
export { ChangeEvents, eventsOf } from './events.ts';
export { createKeySpace, DEFAULT_ROOT, type KeySpace, publicKeyOf } from './key-space.ts';
export { endOf, isKeyComponent, keyOf, prefixOf, type CollectionPlace, type ObjectPlace } from './keys.ts';
export type {
  AtHand,
  Decide,
  Decision,
  EventSink,
  Freshness,
  Listing,
  ObjectStore,
  Query,
  Run,
  Stored,
  WatchEvent,
  WatchQuery,
  WriteHints,
  Written,
} from './object-store.ts';
export { openEngine, type OpenOptions } from './open.ts';
export { formatRevision, parseRevision } from './revision.ts';
export { scanSlice, type Slice } from './slices.ts';
export { createStored, weightOf, type KindCodec } from './stored.ts';
export { Watcher } from './watcher.ts';
export { nested, reformed, type ValueForm } from './value-form.ts';
