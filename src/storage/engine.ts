import { isLongerThan, type Clock } from '#base';

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

/** Components of printable characters, joined by `/`. Keys are ordered by their UTF-8 bytes. */
export type Key = string;
/** A positive safe integer. */
export type Revision = number;

/** The head of an empty store. */
export const FIRST_REVISION: Revision = 1;

/** The value of a key at a revision. */
export interface Entry {
  readonly key: Key;
  readonly value: Uint8Array;
  /** The revision of the commit that wrote this value. */
  readonly revision: Revision;
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

/**
 * `compacted`: the history at that revision has been removed. `future`: the revision does not exist yet. `full`: no space to write; reads still work.
 * `tooLarge`: the value exceeds what the store is configured to take. `unavailable`: the store cannot be reached or used. `contended`: others were faster again and again. `corrupt`: it is damaged.
 */
export type StorageFailureCode = 'compacted' | 'future' | 'full' | 'tooLarge' | 'unavailable' | 'contended' | 'corrupt';

/** The only error an engine throws. */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure';
  readonly code: StorageFailureCode;
  /** With `compacted`: the oldest revision still kept. With `future`: the newest one there is. */
  readonly revision: Revision | undefined;
  /** Of a write (`unavailable`): it was sent, and may have been done. */
  readonly isUnconfirmed: boolean;

  constructor(code: StorageFailureCode, message: string, options?: { readonly cause?: unknown; readonly revision?: Revision; readonly isUnconfirmed?: boolean }) {
    super(message, { cause: options?.cause });
    this.code = code;
    this.revision = options?.revision;
    this.isUnconfirmed = options?.isUnconfirmed ?? false;
  }
}

/** The failure of reading at, or compacting to, a revision that does not exist yet. */
export const futureFailure = (at: Revision, newest: Revision): StorageFailure =>
  new StorageFailure('future', `revision ${at} does not exist yet; the newest one is ${newest}`, { revision: newest });

/** The failure of reading at or following from a revision that was compacted. `oldest`: the oldest one that is kept; undefined: not known. */
export const compactedFailure = (at: Revision, oldest: Revision | undefined): StorageFailure =>
  oldest === undefined
    ? new StorageFailure('compacted', `revision ${at} is no longer kept`)
    : new StorageFailure('compacted', `revision ${at} is no longer kept; the oldest one is ${oldest}`, { revision: oldest });

/** The failure of reading a value that the store should have: that of an entry, or of a change that is kept. */
export const missingValueFailure = (revision: Revision): StorageFailure =>
  new StorageFailure('corrupt', `the value of revision ${revision} is missing: restore a backup`);

/**
 * The failure of a write that was sent and may have been done, whatever it failed of: its caller is to look before the write is tried again, which the other
 * codes do not say.
 */
export const unconfirmedFailure = (failure: StorageFailure): StorageFailure =>
  new StorageFailure('unavailable', failure.message, { cause: failure, isUnconfirmed: true });

/** The failure of a call after the engine was closed. */
export const closedFailure = (): StorageFailure => new StorageFailure('unavailable', 'the store was closed');

/** The entry, if it was written to `key`. In a damaged store an entry may belong to another key: throws `StorageFailure` (`corrupt`) then. */
export function writtenTo(key: Key, entry: Entry): Entry {
  if (entry.key === key) return entry;
  throw new StorageFailure('corrupt', `revision ${entry.revision} stands at ${key} and was written to ${entry.key}: run the check, restore a backup`);
}

/** The most bytes of a key in a store in a folder: LMDB allows 1,978, and its tables append a revision. All such engines take what a backup of one may hold. */
export const MAX_KEY_BYTES = 1_900;

/** Whether a key is longer than any of a store in a folder. */
export const isTooLong = (key: Key): boolean => isLongerThan(key, MAX_KEY_BYTES);

/** What is told of such a key. */
export const tooLongText = (key: Key): string => `a key may have ${MAX_KEY_BYTES} bytes, this one has more: ${key.slice(0, 200)}…`;

/** The failure to keep a key in a store in a folder; undefined: it is short enough. */
export const longKeyFailure = (key: Key): StorageFailure | undefined => (isTooLong(key) ? new StorageFailure('unavailable', tooLongText(key)) : undefined);

/** No store comes so far by writing: it takes a million writes a second for half a century. */
export const MAX_RESTORED_REVISION: Revision = 2 ** 51;
/** Nor so far by writing after it was restored. As much again is left below the last safe integer. */
const MAX_REVISION: Revision = 2 ** 52;

/** Throws `StorageFailure` (`corrupt`) where the store at `path` is at a revision that none reaches: soon nothing could be written to it. */
export function checkPlausible(revision: Revision, path: string): void {
  if (revision <= MAX_REVISION) return;
  throw new StorageFailure('corrupt', `${path} is damaged: it is at revision ${revision}, and no store comes that far: restore a backup or give another folder`);
}

/** The latest time at which an entry can expire, in milliseconds since 1970: a whole number that every engine keeps as it is. It is never reached. */
export const LATEST_EXPIRY_MS = Number.MAX_SAFE_INTEGER;

/** When an entry that is written now expires, in milliseconds since 1970: never too early, and at `LATEST_EXPIRY_MS` at the latest. */
export const expiryMs = (nowMs: number, ttlSeconds: number): number => Math.min(Math.ceil(nowMs + ttlSeconds * 1000), LATEST_EXPIRY_MS);

/** What `src/storage/engines/<scheme>/index.ts` exports as `driver`. */
export interface Driver {
  /** The scheme of `--store <scheme>://…`. */
  readonly scheme: string;
  /** Opens the store, or creates it. Throws `StorageFailure` with a message that says what to do. */
  open(options: EngineOptions): Promise<Engine>;
  /** Absent where the store has backup tools of its own (etcd) or nothing to back up (memory). */
  readonly maintenance?: Maintenance;
}

/** Maintenance of a store from another process than its server. */
export interface Maintenance {
  /** Opens a consistent snapshot of the store in that folder; a server may go on writing to it. Throws `StorageFailure`, and the reason of `waiting.stop`. */
  snapshot(location: string, waiting?: Waiting): Promise<Snapshot>;
  /**
   * Fills a new store in an empty folder. `revision` becomes both its newest and its oldest readable revision; the entries keep their own.
   * Resolves when everything is durable. Throws what `entries` throws, at the latest behind the last one where two have the same revision, and
   * `StorageFailure`.
   */
  load(location: string, state: { readonly revision: Revision; readonly entries: AsyncIterable<KeptEntry> }): Promise<void>;
}

/** What becomes of a wait for another process that has the store open. */
export interface Waiting {
  /** Called once where it takes long, with what is waited for. */
  readonly tell?: ((message: string) => void) | undefined;
  /** Ends the wait. */
  readonly stop?: AbortSignal | undefined;
  /** Measures how long it takes. Default: real time. */
  readonly clock?: Clock;
}

/** A consistent view of a store as of one revision. Until it is closed the store cannot reuse the space of what was deleted since. */
export interface Snapshot {
  readonly revision: Revision;
  /** How many entries exist. */
  readonly count: number;
  /** All entries in key order. Throws `StorageFailure` at the first damaged one. */
  entries(): Iterable<KeptEntry>;
  /** How many results `check` yields, about: for showing progress. */
  readonly checks: number;
  /** Checks every row of the store; yields, for each, a contradiction with the other rows, or undefined. */
  check(): Iterable<string | undefined>;
  close(): Promise<void>;
}

/** An entry as it is backed up and restored. */
export interface KeptEntry extends Entry {
  /** When its time to live ends, in milliseconds since 1970; absent: never. */
  readonly expiresAtMs?: number;
}

/** How a driver is to open a store. */
export interface EngineOptions {
  /** What follows the scheme: for embedded engines a folder. */
  readonly location: string;
  /** For how long, at least, replaced and deleted values stay readable. */
  readonly historySeconds: number;
  /** Whether other processes of this machine may open the store at the same time. Only engines with a store on one machine use it. */
  readonly isShared?: boolean;
  readonly clock: Clock;
  readonly log: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
}
