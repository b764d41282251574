import type { ApiObject, FieldValue } from '#api';
import type { Precondition } from './engine.ts';
import type { Key, Revision } from './entry.ts';

/** Which revision a read may show: the newest, any that is cached, one not older than a revision, or exactly one. @spec 4.6 */
export type Freshness = 'latest' | 'any' | { readonly notOlderThan: Revision } | { readonly exactly: Revision };

/** A stored object: its JSON, ready to be sent, and the decoded object for code that needs to read fields. */
export interface Stored<T extends ApiObject = ApiObject> {
  readonly key: Key;
  readonly revision: Revision;
  /**
   * JSON in the storage version, with `metadata.resourceVersion` and a line feed at the end. Revision 0 (dry-run) has no resourceVersion and possibly no
   * line feed. Computed on first use.
   */
  readonly json: Uint8Array;
  /** Decoded on first use and then kept. Shared by all readers: never change it (`cloneJson` first). */
  readonly object: T;
  readonly labels: Readonly<Record<string, string>>;
  /** The fields that field selectors can use: `metadata.name`, `metadata.namespace`, and those of the kind's `select`. */
  readonly fields: Readonly<Record<string, string>>;
  /** A cache of other encodings of this object, by media type and version. The code that encodes adds to it. */
  readonly encodings: Map<string, Uint8Array>;
}

/** What a write does to the live object: store `put`, remove it (`last`: the final state to return), or leave it as it is. */
export type Decision<T> = { readonly put: T } | { readonly remove: true; readonly last?: T } | { readonly keep: true };
/**
 * Decides from the live object; called again with the newer object after every conflict. `live` is shared by all readers: never change it (`cloneJson`
 * first). Nor may the object in `put` be changed afterwards.
 */
export type Decide<T> = (live: T | undefined) => Promise<Decision<T>> | Decision<T>;

/** What the caller knows about a write beforehand, and what it depends on. */
export interface WriteHints<T extends ApiObject = ApiObject> {
  readonly dryRun?: boolean;
  readonly ttlSeconds?: number | undefined;
  /**
   * The live object as the caller believes it to be. Saves the first read; when the commit shows that it was wrong, the object is read. Who believes that
   * there is none decides from no more than the metadata of one that is there.
   */
  readonly assume?: T | 'absent' | undefined;
  /** The same, as an entry that this store has returned. */
  readonly seen?: Stored<T>;
  /**
   * Called before an object is created: conditions on other keys that the commit depends on (`Write.preconditions`). `isAgain`: the previous attempt failed
   * because such a condition did not hold. Errors that it throws reach the caller of the write.
   */
  readonly preconditions?: (isAgain: boolean) => Promise<readonly Precondition[]> | readonly Precondition[];
  /** Called right before each commit, which is not made where it throws: the caller of the write gets the error. */
  readonly beforeCommit?: (() => void) | undefined;
}

/** The outcome of a write. */
export interface Written<T extends ApiObject = ApiObject> {
  readonly did: 'create' | 'replace' | 'remove' | 'nothing';
  /** The object after the write; after a removal its last state, with the revision it had before. A dry-run gives it no new revision. */
  readonly stored: Stored<T>;
}

/** A list: which objects of a resource, and how fresh they must be. */
export interface Query<T extends ApiObject = ApiObject> {
  /** Key prefix ending in `/`, or one whole key. */
  readonly prefix: Key;
  readonly freshness: Freshness;
  /** Key to begin at (inclusive), for the pages after the first. */
  readonly from?: Key | undefined;
  readonly limit?: number | undefined;
  /** The selector; absent: every object matches. */
  readonly matches?: ((stored: Stored<T>) => boolean) | undefined;
  /** Identifies `matches`: two selectors of one resource with the same text match the same objects. Absent: results cannot be shared. */
  readonly matchesText?: string | undefined;
}

/** Consecutive objects in key order. Immutable and shared by all readers: an encoding of the whole run can be cached by the run's identity. */
export interface Run<T extends ApiObject = ApiObject> {
  readonly items: readonly Stored<T>[];
}

/** A list as of one revision, or a page of it. */
export interface Listing<T extends ApiObject = ApiObject> {
  readonly items: readonly Stored<T>[];
  /** The same items as runs that other listings share, where the store keeps such runs. A wrapper that changes `items` must leave it out. */
  readonly runs?: readonly Run<T>[];
  readonly revision: Revision;
  /** The key at which the next page begins; absent on the last page. */
  readonly next?: Key;
  /** The number of objects after this page (`remainingItemCount`); only without `matches`. */
  readonly remaining?: number;
}

/** DELETED carries the last state with the revision of the removal. BOOKMARK carries a revision only. */
export type WatchEvent<T extends ApiObject = ApiObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly stored: Stored<T>; readonly revision: Revision }
  | { readonly type: 'BOOKMARK'; readonly revision: Revision };

/**
 * The receiver of a watch. `events` returns false when its buffer is full; the store then ends the watch. Watches with the same events get the same
 * batch array, and batches and events are never changed: encodings of either can be cached by identity and shared.
 */
export interface EventSink<T extends ApiObject = ApiObject> {
  /**
   * Called once, before `events`: it is settled at which revision the watch begins. What is stored from now on comes as a change of its own, and is no
   * part of the initial state.
   */
  begun?(): void;
  events(batch: readonly WatchEvent<T>[]): boolean;
  /**
   * Back-pressure for what a watch begins with, its initial state or the changes that it missed, which is sent piece by piece: resolves when the receiver
   * has sent on its buffer, or has closed. Absent or undefined: it has room.
   */
  drained?(): Promise<void> | undefined;
  end(cause?: Error): void;
}

/** A watch: which changes of a resource, and from which revision on. */
export interface WatchQuery<T extends ApiObject = ApiObject> {
  readonly prefix: Key;
  /** `'latest'` and `'any'`: the current objects as ADDED first, then changes. A revision: all changes after it. */
  readonly since: 'latest' | 'any' | Revision;
  readonly matches?: ((stored: Stored<T>) => boolean) | undefined;
  /** Identifies `matches`: watches with the same prefix and the same text get the same events. */
  readonly matchesText?: string | undefined;
  /** A field that all that match have with this value: changes of others need not be looked at. */
  readonly required?: FieldValue | undefined;
  readonly bookmarks: boolean;
  /** After how many milliseconds the receiver ends the watch: a last bookmark is sent shortly before. */
  readonly endsInMs?: number;
  /** Once it aborts, the watch ends, as soon as it has delivered everything that is stored by then. */
  readonly closing?: AbortSignal | undefined;
}

/** An answer from memory. `stored` undefined: the object does not exist. */
export interface AtHand<T extends ApiObject = ApiObject> {
  readonly stored: Stored<T> | undefined;
}

/**
 * The objects of one kind: `createObjectStore` reads them from an engine, the watch cache from memory.
 * All methods reject with `StorageFailure`; `write` also with whatever `decide` and `hints.preconditions` throw.
 */
export interface ObjectStore<T extends ApiObject = ApiObject> {
  /** undefined: the object does not exist. */
  get(key: Key, freshness: Freshness): Promise<Stored<T> | undefined>;
  /** What `get` would resolve with, where that is known in memory; undefined: call `get`. Default: the latest. */
  atHand?(key: Key, freshness?: 'latest' | 'any'): AtHand<T> | undefined;
  list(query: Query<T>): Promise<Listing<T>>;
  write(key: Key, decide: Decide<T>, hints?: WriteHints<T>): Promise<Written<T>>;
  /** Resolves when the watch is registered; events may come before. An object that stops or starts to match is sent as DELETED or ADDED. */
  watch(query: WatchQuery<T>, sink: EventSink<T>, signal: AbortSignal): Promise<void>;
}
