import type { ApiObject } from '#api';
import type { Given, Key, Revision } from './engine.ts';

/** How new an answer must be. @spec 4.6 */
export type Freshness = 'latest' | 'any' | { readonly notOlderThan: Revision } | { readonly exactly: Revision };

/** A stored object: bytes that can go out as they are, and the object itself for those who need to look inside. */
export interface Stored<T extends ApiObject = ApiObject> {
  readonly key: Key;
  readonly revision: Revision;
  /** JSON of the storage version as a line, `metadata.resourceVersion` included. Without a revision it has none, and may be no line. Made once. */
  readonly json: Uint8Array;
  /** Decoded on first use and then kept. Shared by all readers: never change it (`structuredClone` first). */
  readonly object: T;
  readonly labels: Readonly<Record<string, string>>;
  /** Attributes for field selectors (`metadata.name`, `metadata.namespace`, what the kind's `select` adds). */
  readonly fields: Readonly<Record<string, string>>;
  /** Other encodings of this entry, by media type and version; whoever makes one keeps it here. */
  readonly encodings: Map<string, Uint8Array>;
}

/** What a write wants, decided from the live object; asked again after every lost race. */
export type Decision<T> = { readonly put: T } | { readonly remove: true; readonly last?: T } | { readonly keep: true };
/** `live` is shared by all who read it: never change it (`cloneJson` first). Nor may what is put be changed afterwards. */
export type Decide<T> = (live: T | undefined) => Promise<Decision<T>> | Decision<T>;

/** What the caller knows about a write beforehand. */
export interface WriteHints<T extends ApiObject = ApiObject> {
  readonly dryRun?: boolean;
  readonly ttlSeconds?: number;
  /** What probably stands there: saves the first read, and is read again when it was wrong. */
  readonly assume?: T | 'absent';
  /** The same, as this store has shown it. */
  readonly seen?: Stored<T>;
  /** Asked when something is to be made: what else must stand then. `isAgain`: it was said before, and stands no longer. What it throws passes through. */
  readonly given?: (isAgain: boolean) => Promise<readonly Given[]> | readonly Given[];
}

/** What a write has done. */
export interface Written<T extends ApiObject = ApiObject> {
  readonly did: 'create' | 'replace' | 'remove' | 'nothing';
  /** What stands there now; after a removal what stood there last, with the revision it had. In a dry-run it carries no revision of its own. */
  readonly stored: Stored<T>;
}

/** Which entries of a resource are wanted, and how new they must be. */
export interface Query<T extends ApiObject = ApiObject> {
  /** Key prefix ending in `/`, or one whole key. */
  readonly prefix: Key;
  readonly freshness: Freshness;
  /** Key to begin at (inclusive), for the pages after the first. */
  readonly from?: Key;
  readonly limit?: number;
  /** Absent means every object. */
  readonly matches?: (stored: Stored<T>) => boolean;
  /** Queries of the same resource with the same text take the same entries; absent: nothing is known of `matches`. */
  readonly matchesText?: string;
}

/** Entries side by side in the order of their keys. Never changed and shared by all who read it: what is made of them together can be kept with it. */
export interface Run<T extends ApiObject = ApiObject> {
  readonly items: readonly Stored<T>[];
}

/** Entries of one moment, or a page of them. */
export interface Listing<T extends ApiObject = ApiObject> {
  readonly items: readonly Stored<T>[];
  /** The same entries in pieces that other listings share, where the store keeps such pieces. Who answers with other items leaves it out. */
  readonly runs?: readonly Run<T>[];
  readonly revision: Revision;
  /** Key of the first entry that did not fit; absent on the last page. */
  readonly next?: Key;
  /** Entries after this page; only without `matches`. */
  readonly remaining?: number;
}

/** DELETED carries the last state, at the revision of the removal. BOOKMARK carries no object. */
export type WatchEvent<T extends ApiObject = ApiObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly stored: Stored<T>; readonly revision: Revision }
  | { readonly type: 'BOOKMARK'; readonly revision: Revision };

/**
 * `events` returns false when the receiver is full; the sender then ends the watch. Watches that see the same get the same batch, and events
 * are never changed: what is made of either can be kept and shared.
 */
export interface EventSink<T extends ApiObject = ApiObject> {
  events(batch: readonly WatchEvent<T>[]): boolean;
  /** Resolves when the receiver has taken what it was sent, or will take no more. Absent: it always has. The state a watch begins with waits for it. */
  drained?(): Promise<void>;
  end(cause?: Error): void;
}

/** Which changes of a resource are wanted, and from where on. */
export interface WatchQuery<T extends ApiObject = ApiObject> {
  readonly prefix: Key;
  /** `'latest'` and `'any'`: the present state as ADDED first. A revision: everything after it. */
  readonly since: 'latest' | 'any' | Revision;
  readonly matches?: (stored: Stored<T>) => boolean;
  /** Stands for what `matches` does: watches with the same prefix and the same text see the same. */
  readonly matchesText?: string;
  readonly bookmarks: boolean;
  /** When the receiver is going to end the watch: a bookmark comes shortly before. */
  readonly endsInMs?: number;
}

/** What is in memory. `stored` undefined: nothing stands there. */
export interface AtHand<T extends ApiObject = ApiObject> {
  readonly stored: Stored<T> | undefined;
}

/**
 * Typed objects over an engine. The watch cache implements the same methods.
 * Throws `StorageFailure`, and whatever `decide` throws.
 */
export interface ObjectStore<T extends ApiObject = ApiObject> {
  /** undefined: nothing stands there. */
  get(key: Key, freshness: Freshness): Promise<Stored<T> | undefined>;
  /** What `get` would resolve with, where that is in memory; undefined: it has to be asked for. Default: the latest. */
  atHand?(key: Key, freshness?: 'latest' | 'any'): AtHand<T> | undefined;
  list(query: Query<T>): Promise<Listing<T>>;
  write(key: Key, decide: Decide<T>, hints?: WriteHints<T>): Promise<Written<T>>;
  /** Resolves when the watch is registered; events begin at once. An entry that stops or starts matching becomes DELETED or ADDED. */
  watch(query: WatchQuery<T>, sink: EventSink<T>, signal: AbortSignal): Promise<void>;
}
