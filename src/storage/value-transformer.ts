import type { Change, Commit, Engine, Feed, Scan } from './engine.ts';
import type { Entry, Key, Revision } from './entry.ts';
import { markStale } from './stale-values.ts';

/** A transformation of values on their way to and from the engine: encryption, or another format. */
export interface ValueTransformer {
  /** The bytes that the engine stores for a value. */
  toStorage(key: Key, value: Uint8Array): Uint8Array;
  /**
   * The value for stored bytes. `isStale`: `toStorage` would store it in another form, so the next update writes it even if it changes nothing. Throws
   * `StorageFailure` (`corrupt`).
   */
  fromStorage(key: Key, kept: Uint8Array): { readonly value: Uint8Array; readonly isStale: boolean };
}

/** Two transformations as one; `inner` is applied last when writing and first when reading. */
export const chained = (outer: ValueTransformer, inner: ValueTransformer): ValueTransformer => ({
  toStorage: (key, value) => inner.toStorage(key, outer.toStorage(key, value)),
  fromStorage(key, kept) {
    const middle = inner.fromStorage(key, kept);
    const { value, isStale } = outer.fromStorage(key, middle.value);
    return { value, isStale: isStale || middle.isStale };
  },
});

/**
 * An engine whose values are stored in `engine` as the transformer makes them. The same stored array gives the same value array for as long as the stored one is
 * referenced.
 */
export function withTransformer(engine: Engine, transformer: ValueTransformer): Engine {
  const opened = new WeakMap<Uint8Array, Uint8Array>();
  const open = (key: Key, kept: Uint8Array): Uint8Array => {
    const known = opened.get(kept);
    if (known !== undefined) return known;
    const { value, isStale } = transformer.fromStorage(key, kept);
    if (isStale) markStale(value);
    opened.set(kept, value);
    return value;
  };
  const entryOf = ({ key, value, revision }: Entry): Entry => ({ key, value: open(key, value), revision });
  return {
    keepsOrder: engine.keepsOrder,
    head: () => engine.head(),
    headAtHand: () => engine.headAtHand?.(),
    async get(key: Key, at?: Revision) {
      const entry = await engine.get(key, at);
      return entry && entryOf(entry);
    },
    async scan(range: Scan) {
      const page = await engine.scan(range);
      return { ...page, entries: page.entries.map(entryOf) };
    },
    async commit(write): Promise<Commit> {
      const { key, value } = write;
      if (value === undefined) return found(await engine.commit(write), entryOf);
      const kept = transformer.toStorage(key, value);
      // Readers get what was written, and not another array of the same bytes.
      if (kept !== value) opened.set(kept, value);
      return found(await engine.commit({ ...write, value: kept }), entryOf);
    },
    follow(prefix: Key, after: Revision, feed: Feed, signal: AbortSignal) {
      const changes: Feed['changes'] = (batch, upTo) => feed.changes(batch.map((change) => new OpenedChange(change, entryOf)), upTo);
      engine.follow(prefix, after, { changes, lost: (why) => feed.lost(why) }, signal);
    },
    compact: (before) => engine.compact(before),
    close: () => engine.close(),
  };
}

/**
 * A change whose values are opened when they are read: one that cannot be opened throws `StorageFailure` at the reader whom it concerns, and nobody else
 * who follows the same feed is disturbed.
 */
class OpenedChange implements Change {
  readonly key: Key;
  readonly revision: Revision;
  readonly #kept: Change;
  readonly #open: (entry: Entry) => Entry;

  constructor(kept: Change, open: (entry: Entry) => Entry) {
    this.key = kept.key;
    this.revision = kept.revision;
    this.#kept = kept;
    this.#open = open;
  }

  get value(): Uint8Array | undefined {
    const { key, revision, value } = this.#kept;
    return value && this.#open({ key, revision, value }).value;
  }

  get before(): Entry | undefined {
    return this.#kept.before && this.#open(this.#kept.before);
  }
}

const found = (commit: Commit, entryOf: (entry: Entry) => Entry): Commit =>
  commit.done || commit.found === undefined ? commit : { ...commit, found: entryOf(commit.found) };
