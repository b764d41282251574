/** What clients did and saw. Times are moments of one counter: a smaller one came first. */

/** The value of an object, or that it is gone. */
export type Seen = string | undefined;

export interface WriteRecord {
  readonly key: string;
  readonly op: 'create' | 'update' | 'patch' | 'delete';
  /** What it wrote; nobody else writes the same. */
  readonly value: Seen;
  /** The revision it was to replace; 0: none must stand there. Absent: whatever stands there. */
  readonly expect?: number;
  readonly start: number;
  /** Infinity: no answer came. */
  readonly end: number;
  /** `refused`: somebody else was first. `unknown`: it may have happened or not, now or later. */
  readonly outcome: 'done' | 'refused' | 'unknown';
  /** Where the answer told it. */
  readonly revision?: number;
}

export interface Item {
  readonly key: string;
  readonly value: string;
  readonly revision: number;
}

/** `latest`: everything acknowledged before. `any`: some state. */
export type Wanted = 'latest' | 'any' | { readonly notOlderThan: number } | { readonly exactly: number };

export interface GetRecord {
  readonly key: string;
  readonly wanted: Wanted;
  readonly found: Item | undefined;
  readonly start: number;
  readonly end: number;
}

/** A list of all keys; pages are put together. */
export interface ListRecord {
  readonly wanted: Wanted;
  readonly revision: number;
  readonly items: readonly Item[];
  readonly start: number;
  readonly end: number;
}

export type WatchEventRecord =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly item: Item }
  | { readonly type: 'BOOKMARK'; readonly revision: number };

/** What a watch asks for: one key, or values that end so (which is their label too). */
export interface Selected {
  readonly key?: string;
  readonly ending?: string;
}

/** One stream of a watch, from its start to its end. */
export interface WatchRecord {
  /** Absent: everything. */
  readonly only?: Selected;
  /** Where it begins: after a revision, or with a state (`latest`, `any`). */
  readonly since: number | 'latest' | 'any';
  readonly start: number;
  readonly end: number;
  readonly events: readonly WatchEventRecord[];
  /** Answered that `since` is forgotten. */
  readonly isExpired: boolean;
  /** It was still open when all was quiet, and everything up to here must have come. */
  readonly completeTo?: number;
}

/** Everything up to `before` may be forgotten from `start` on. */
export interface CompactionRecord {
  readonly before: number;
  readonly start: number;
}

export interface History {
  readonly writes: readonly WriteRecord[];
  readonly gets: readonly GetRecord[];
  readonly lists: readonly ListRecord[];
  readonly watches: readonly WatchRecord[];
  readonly compactions: readonly CompactionRecord[];
}

/** Takes down what happens, as it happens. */
export class Recorder implements History {
  readonly writes: WriteRecord[] = [];
  readonly gets: GetRecord[] = [];
  readonly lists: ListRecord[] = [];
  readonly watches: WatchRecord[] = [];
  readonly compactions: CompactionRecord[] = [];
  #moment = 0;
  #seenTo = 0;

  /**
   * Every change up to here was told by a watch. What is compacted beyond it may never be: no answer says at which revision something was deleted, or
   * what came of a write that was not answered, and who lists anew passes over both.
   */
  get seenTo(): number {
    return this.#seenTo;
  }

  /** A watch of everything since a revision has come to another. */
  saw(since: number, position: number): void {
    if (this.#seenTo === 0 || since <= this.#seenTo) this.#seenTo = Math.max(this.#seenTo, position);
  }

  now(): number {
    return ++this.#moment;
  }
}
