import type { Entry, Key, Revision } from './entry.ts';
import type { StorageFailure } from './storage-failure.ts';

/**
 * A key-value store with revisions (MVCC). An engine knows bytes and revisions only; what objects, lists and watches are is written once, above it.
 *
 * Laws every engine keeps (proved by `engine-suite.ts`):
 * - The whole store has one revision counter. Every successful commit takes a new, higher revision; none is ever given out twice, not even
 *   after a restart.
 * - `commit` resolves only after its effect is durable (the memory engine: visible), and is visible to every later call of any method.
 * - `follow` delivers every change under `prefix` with a revision above `after` exactly once, in revision order, without gaps.
 * - Expected outcomes (a missing key, a lost race) are values. `StorageFailure` is thrown for everything else.
 */
export interface Engine {
  /**
   * True: of two commits of this process the one that was called later gets the higher revision, unless several processes contend for the key of the
   * earlier one. False: they may overtake one another.
   */
  readonly keepsOrder: boolean;
  /** The newest committed revision, linearizable. `FIRST_REVISION` on an empty store. */
  head(): Promise<Revision>;
  /** The same, synchronously, where no other process can have written in between. Absent or undefined: call `head`. */
  headAtHand?(): Revision | undefined;
  /** The entry at its newest revision, or as of revision `at`; undefined: the key does not exist. */
  get(key: Key, at?: Revision): Promise<Entry | undefined>;
  /** Entries of `start <= key < end` in key order, as of one revision. */
  scan(range: Scan): Promise<Page>;
  /** One compare-and-put or compare-and-delete. */
  commit(write: Write): Promise<Commit>;
  /**
   * Delivers batches of changes in revision order until the signal aborts. Never throws: failures arrive through `feed.lost`. When revision `after`
   * does not exist yet, nothing is delivered until it has been passed. The first batch may come in the same turn of the event loop, but never
   * before `follow` returns.
   */
  follow(prefix: Key, after: Revision, feed: Feed, signal: AbortSignal): void;
  /**
   * Removes the history before revision `before`. Current entries stay, and so does the whole state as of `before`. Reading at or following from a
   * lower revision fails with `compacted` from then on. Does nothing when that history is already compacted.
   */
  compact(before: Revision): Promise<void>;
  close(): Promise<void>;
}

/** A range of keys to read, with limits. */
export interface Scan {
  /** Inclusive. To begin after a key, append U+0000 to it. */
  readonly start: Key;
  readonly end: Key;
  /** The maximum number of entries; absent: no maximum. */
  readonly limit?: number;
  /**
   * The page may end early, with `more` set, once its values together have so many bytes or the current turn of the event loop has become long. It
   * has at least two entries then.
   */
  readonly maxBytes?: number;
  /** Read as of this revision; absent: the newest. */
  readonly at?: Revision;
  /** Whether `Page.total` is wanted. */
  readonly count?: boolean;
}

/** Entries of a range, all as of one revision. */
export interface Page {
  readonly entries: readonly Entry[];
  /** Whether the range goes on after the last entry. */
  readonly more: boolean;
  /** The revision as of which the range was read. */
  readonly revision: Revision;
  /** The number of entries between `start` and `end` at that revision, those beyond the limit included; present when `count` was set. */
  readonly total?: number;
}

/**
 * One compare-and-swap. `expect` is the revision that the key must have; 0: it must not exist. No `value` means delete. Without `ttlSeconds` the
 * entry stays until it is deleted. The engine keeps `value` and may hand the same array to readers: it must not be changed afterwards.
 */
export interface Write {
  readonly key: Key;
  readonly expect: Revision;
  readonly value?: Uint8Array | undefined;
  readonly ttlSeconds?: number | undefined;
  /** Further conditions: the write takes effect only if these other keys are still at the given revisions. */
  readonly preconditions?: readonly Precondition[] | undefined;
  /** It was refused before, and comes again until it takes effect: an engine in which one process is faster than others lets these have a turn. */
  readonly isRetry?: boolean | undefined;
}

/** A condition of a write: `key` exists and was last written at `revision`. */
export interface Precondition {
  readonly key: Key;
  readonly revision: Revision;
}

/** The outcome of a write: it was committed, or a comparison failed and nothing was written. */
export type Commit =
  | { readonly done: true; readonly revision: Revision }
  /** `found`: the entry that exists at the key. `preconditionFailed`: the key was at the expected revision, but a precondition does not hold. */
  | { readonly done: false; readonly found: Entry | undefined; readonly preconditionFailed?: true };

/** One committed write, as a feed delivers it. */
export interface Change {
  readonly key: Key;
  readonly revision: Revision;
  /** Absent: the key was deleted at `revision`. */
  readonly value?: Uint8Array | undefined;
  /** The entry that this write replaced or deleted; absent when the key was created. */
  readonly before?: Entry | undefined;
}

/**
 * The receiver of `follow`. If `changes` throws, the feed ends and the error arrives in `lost`. Both are called synchronously: other feeds wait until
 * they return.
 */
export interface Feed {
  /** With this batch all changes up to and including `upTo` have been delivered. An empty batch only reports progress. */
  changes(batch: readonly Change[], upTo: Revision): void;
  /** The feed has ended: nothing more is delivered. */
  lost(why: StorageFailure): void;
}
