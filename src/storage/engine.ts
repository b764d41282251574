import type { Clock } from '#base';

/**
 * A revisioned byte store. An engine moves bytes and counts revisions; everything above it is written once.
 *
 * Laws every engine keeps (proved by `engine-suite.ts`):
 * - One counter of revisions for the whole store. Every successful commit takes the next one; it never repeats and never goes down, over
 *   restarts too.
 * - `commit` resolves only after its effect is durable (the memory engine: visible), and is visible to every later call of any method.
 * - `follow` delivers every change after `after` under `prefix`, exactly once, in revision order, with no gap to what comes later.
 * - Expected outcomes (a missing key, a lost race) are values. `StorageFailure` is thrown for everything else.
 */
export interface Engine {
  /** Of commits that begin one after the other in this process the later one gets the later revision. Else they may overtake one another. */
  readonly keepsOrder: boolean;
  /** The newest committed revision, linearizable. 1 on an empty store. */
  head(): Promise<Revision>;
  /** The same where it is known without asking: nobody else can have written since. Absent or undefined: it must be asked for. */
  headAtHand?(): Revision | undefined;
  /** The entry as it stands now, or as it stood at revision `at`. */
  get(key: Key, at?: Revision): Promise<Entry | undefined>;
  /** Entries of `start <= key < end` in key order, as of one revision. */
  scan(range: Scan): Promise<Page>;
  /** One compare-and-put or compare-and-delete. */
  commit(write: Write): Promise<Commit>;
  /**
   * Batches in revision order until the signal aborts. Never throws: failures arrive through `feed.lost`. An `after` that does not exist
   * yet is no failure: nothing comes until it is passed. Batches may begin in the same turn of the event loop, never before `follow` returns.
   */
  follow(prefix: Key, after: Revision, feed: Feed, signal: AbortSignal): void;
  /**
   * Forget history before this revision; current entries stay, and so does the whole state at `before` itself. Reading or following from
   * below it is answered `compacted` from then on. Nothing happens when it is forgotten already.
   */
  compact(before: Revision): Promise<void>;
  close(): Promise<void>;
}

/** Text of printable characters, compared by its UTF-8 bytes; components joined by `/`. */
export type Key = string;
/** A positive safe integer. */
export type Revision = number;

/** A value as it stands at a key. */
export interface Entry {
  readonly key: Key;
  readonly value: Uint8Array;
  /** When this value was written. */
  readonly revision: Revision;
}

/** Which entries are read, and how many of them. */
export interface Scan {
  /** Behind a key stands the same key with U+0000. */
  readonly start: Key;
  readonly end: Key;
  /** At most so many entries; absent means all. */
  readonly limit?: number;
  /**
   * The page may end once its values have so many bytes together or reading has made the turn of the event loop long, behind the second entry at the
   * earliest; then there is more.
   */
  readonly maxBytes?: number;
  /** As of this revision; absent means now. */
  readonly at?: Revision;
  /** Also say how many entries the range holds from `start` on. */
  readonly count?: boolean;
}

/** Entries that were read together. */
export interface Page {
  readonly entries: readonly Entry[];
  /** Whether the range goes on after the last entry. */
  readonly more: boolean;
  /** The revision the page shows. */
  readonly revision: Revision;
  /** Entries of the whole range at that revision; present when `count` was asked for. */
  readonly total?: number;
}

/**
 * `expect: 0` means "must not exist"; no `value` means delete. Without `ttlSeconds` a put stays until it is deleted. The engine keeps
 * `value` and hands the same array to readers while it can: nobody changes it any more.
 */
export interface Write {
  readonly key: Key;
  readonly expect: Revision;
  readonly value?: Uint8Array;
  readonly ttlSeconds?: number;
  /** It is written only while these stand at other keys as well. */
  readonly given?: readonly Given[];
}

/** What stands at a key: what was written there at that revision, and nothing since. */
export interface Given {
  readonly key: Key;
  readonly revision: Revision;
}

/** What became of a write: done, or lost to somebody else. */
export type Commit =
  | { readonly done: true; readonly revision: Revision }
  /** `found`: what stood there instead of what was expected. `lapsed`: that was as expected, but what was given stands no longer. */
  | { readonly done: false; readonly found: Entry | undefined; readonly lapsed?: true };

/** One write, as those who follow see it. */
export interface Change {
  readonly key: Key;
  readonly revision: Revision;
  /** Absent: the key was deleted at `revision`. */
  readonly value?: Uint8Array;
  /** What stood there before; absent when the key was created. */
  readonly before?: Entry;
}

/** Who is told of changes. What `changes` throws ends the feed, which is told so as any loss. Everybody else waits meanwhile. */
export interface Feed {
  /** All changes up to and including `upTo` have now been delivered. An empty batch is progress alone. */
  changes(batch: readonly Change[], upTo: Revision): void;
  /** The feed ended: nothing more will come. */
  lost(why: StorageFailure): void;
}

/**
 * `compacted`: that revision is forgotten. `future`: it does not exist yet. `full`: no space to write; reads go on. `tooLarge`: the store is set
 * up for smaller values than this one.
 */
export type StorageFailureCode = 'compacted' | 'future' | 'full' | 'tooLarge' | 'unavailable' | 'corrupt';

/** The only error an engine throws. */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure';
  readonly code: StorageFailureCode;
  /** With `compacted`: the oldest revision still kept. With `future`: the newest one there is. */
  readonly revision: Revision | undefined;

  constructor(code: StorageFailureCode, message: string, options?: { readonly cause?: unknown; readonly revision?: Revision }) {
    super(message, { cause: options?.cause });
    this.code = code;
    this.revision = options?.revision;
  }
}

/** What was found at a key. In a damaged store it may be of another one: no answer is better than that. Throws `StorageFailure`. */
export function writtenTo(key: Key, entry: Entry): Entry {
  if (entry.key === key) return entry;
  throw new StorageFailure('corrupt', `revision ${entry.revision} stands at ${key} and was written to ${entry.key}: run the check, restore a backup`);
}

/** What `src/storage/engines/<scheme>/index.ts` exports as `driver`. */
export interface Driver {
  /** The scheme of `--store <scheme>://…`. */
  readonly scheme: string;
  /** Opens or makes the store. Throws `StorageFailure` with a message that says what to do. */
  open(options: EngineOptions): Promise<Engine>;
  /** Absent where the store is not ours to copy: it has tools of its own. */
  readonly upkeep?: Upkeep;
}

/** What can be done with a store from outside its server. */
export interface Upkeep {
  /** One moment of the store in that folder, though a server may be writing to it meanwhile. Throws `StorageFailure`. */
  snapshot(location: string): Promise<Snapshot>;
  /**
   * Fills a new store in an empty folder: `revision` is its newest and its oldest, entries keep theirs.
   * Resolves when everything is durable. Throws what `entries` throws, and `StorageFailure`.
   */
  load(location: string, state: { readonly revision: Revision; readonly entries: AsyncIterable<KeptEntry> }): Promise<void>;
}

/** Everything in it shows one moment. It holds up the reuse of space in the store until it is closed. */
export interface Snapshot {
  readonly revision: Revision;
  /** How many entries stand. */
  readonly count: number;
  /** In key order. Throws `StorageFailure` at one that is damaged. */
  entries(): Iterable<KeptEntry>;
  /** How much `check` yields. */
  readonly checks: number;
  /** Looks at all the store holds, one row at a time: what contradicts the rest, or undefined. */
  check(): Iterable<string | undefined>;
  close(): Promise<void>;
}

/** An entry with what belongs to it in the store. */
export interface KeptEntry extends Entry {
  /** When it is deleted by itself; absent: never. */
  readonly expiresAtMs?: number;
}

/** What a driver opens a store with. */
export interface EngineOptions {
  /** What follows the scheme: for embedded engines a folder. */
  readonly location: string;
  /** How long forgotten values stay readable, at least. */
  readonly historySeconds: number;
  /** Whether other processes of this machine may have the store open too. Only an engine with a store of one machine asks. */
  readonly isShared?: boolean;
  readonly clock: Clock;
  readonly log: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
}
