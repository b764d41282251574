export { backUp, BUMP, checkBackup, checkMaintainable, checkStore, restore, type CheckResult, type CopyResult, type MaintenanceVerb, type Progress } from './backup/maintenance.ts';
export { readBackup } from './backup/backup-file.ts';
export { catchUp, type CatchUpSource } from './catch-up.ts';
export { decodeContinueToken, encodeContinueToken, pageAfter } from './continue-token.ts';
export { createObjectStore } from './direct-store.ts';
export { encryptionTransformer, type EncryptionRule } from './encryption/encrypted.ts';
export { createProvider, PROVIDER_NAMES, type ProviderName } from './encryption/providers.table.ts';
export { isEncrypted, noKeyFor, type Provider } from './encryption/provider.ts';
export type { Change, Commit, Engine, Feed, Precondition, Write } from './engine.ts';
export type { Entry, Key, Revision } from './entry.ts';
export { ChangeEvents } from './events.ts';
export { followerFailure } from './follow-tail.ts';
export { createKeySpace, type CollectionPlace, type KeySpace, publicKeyOf } from './key-space.ts';
export { endOf, isKeyComponent, MAX_COMPONENT_BYTES, startOf } from './keys.ts';
export { StorageFailure } from './storage-failure.ts';
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
export { DEFAULT_HISTORY_SECONDS, openEngine } from './open.ts';
export { parseRevision } from './revision.ts';
export { readNewest, scanSlice, type Slice } from './slices.ts';
export { createStored, weightOf, type KindCodec } from './stored.ts';
export { BOOKMARK_EVERY_MS, Watcher } from './watcher.ts';
export { chained, withTransformer, type ValueTransformer } from './value-transformer.ts';
export { MAX_OBJECT_BYTES } from './write.ts';
