import type { Change, Commit, Engine, Entry, Feed, Key, Revision, Scan } from './engine.ts';
import { markStale } from './stale-values.ts';

/** What the engine keeps in place of a value: the value sealed, or in another format. */
export interface ValueForm {
  /** What is to be kept for a value. */
  seal(key: Key, value: Uint8Array): Uint8Array;
  /**
   * The value that is kept so. `isStale`: it would be kept otherwise today, so its next update writes it even if it stays as it is. Throws
   * `StorageFailure` (`corrupt`).
   */
  open(key: Key, kept: Uint8Array): { readonly value: Uint8Array; readonly isStale: boolean };
}

/** The inner form is nearer to the engine. */
export const nested = (outer: ValueForm, inner: ValueForm): ValueForm => ({
  seal: (key, value) => inner.seal(key, outer.seal(key, value)),
  open(key, kept) {
    const middle = inner.open(key, kept);
    const { value, isStale } = outer.open(key, middle.value);
    return { value, isStale: isStale || middle.isStale };
  },
});

/** The same engine for those above, with values kept in a form. The same array that is kept gives the same value while someone holds it. */
export function reformed(engine: Engine, form: ValueForm): Engine {
  const opened = new WeakMap<Uint8Array, Uint8Array>();
  const open = (key: Key, kept: Uint8Array): Uint8Array => {
    const known = opened.get(kept);
    if (known !== undefined) return known;
    const { value, isStale } = form.open(key, kept);
    if (isStale) markStale(value);
    opened.set(kept, value);
    return value;
  };
  const entryOf = ({ key, value, revision }: Entry): Entry => ({ key, value: open(key, value), revision });
  const changeOf = ({ key, revision, value, before }: Change): Change => ({
    key,
    revision,
    ...(value === undefined ? {} : { value: open(key, value) }),
    ...(before === undefined ? {} : { before: entryOf(before) }),
  });
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
      const kept = form.seal(key, value);
      const commit = await engine.commit({ ...write, value: kept });
      if (commit.done && kept !== value) opened.set(kept, value);
      return found(commit, entryOf);
    },
    follow(prefix: Key, after: Revision, feed: Feed, signal: AbortSignal) {
      // What cannot be opened is thrown to the engine, which ends this feed with it.
      const changes: Feed['changes'] = (batch, upTo) => feed.changes(batch.map(changeOf), upTo);
      engine.follow(prefix, after, { changes, lost: (why) => feed.lost(why) }, signal);
    },
    compact: (before) => engine.compact(before),
    close: () => engine.close(),
  };
}

const found = (commit: Commit, entryOf: (entry: Entry) => Entry): Commit =>
  commit.done || commit.found === undefined ? commit : { done: false, found: entryOf(commit.found) };
