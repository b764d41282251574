import { isTurnLong, nextTurn } from '#base';
import type { ApiObject } from '#api';
import type { Engine } from './engine.ts';
import type { Key, Revision } from './entry.ts';
import { endOf, startOf } from './keys.ts';
import type { Freshness, Listing, Query, Stored } from './object-store.ts';
import { readNewest, scanSlice, SLICE_ENTRIES, type Slice } from './slices.ts';
import { futureFailure } from './storage-failure.ts';
import { createStored, type KindCodec } from './stored.ts';

/** Reads one object; undefined: it does not exist. Throws `StorageFailure`. @spec 4.6 */
export async function get<T extends ApiObject>(
  engine: Engine,
  codec: KindCodec<T>,
  key: Key,
  freshness: Freshness,
): Promise<Stored<T> | undefined> {
  await checkReached(engine, freshness);
  const entry = await engine.get(key, exactly(freshness));
  return entry && createStored(entry, codec.select);
}

/**
 * Lists a collection, or a page of it, as of one revision. With a selector and a limit it reads on until enough objects match or the collection
 * ends; another page follows where anything is left to look at. Throws `StorageFailure`.
 * @spec 4.4 @spec 4.6
 */
export async function list<T extends ApiObject>(engine: Engine, codec: KindCodec<T>, query: Query<T>): Promise<Listing<T>> {
  await checkReached(engine, query.freshness);
  const at = exactly(query.freshness);
  return at === undefined ? readNewest(() => listAt(engine, codec, query, undefined)) : listAt(engine, codec, query, at);
}

async function listAt<T extends ApiObject>(engine: Engine, codec: KindCodec<T>, query: Query<T>, exact: Revision | undefined): Promise<Listing<T>> {
  const { prefix, limit, matches } = query;
  const end = endOf(prefix);
  const items: Stored<T>[] = [];
  const room = limit ?? Infinity;
  let start = startOf(query);
  let at = exact;
  for (;;) {
    const wanted = matches === undefined ? room - items.length : Infinity;
    // Only the last slice of a limited list needs the count, which `remaining` is computed from: none is that where more is wanted than one holds.
    const count = wanted <= SLICE_ENTRIES && limit !== undefined;
    // That takes long where there are many, and many may ask for a page in the same turn.
    if (count && isTurnLong()) await nextTurn();
    const slice = await scanSlice(engine, { start, end, limit: wanted, count, ...(at === undefined ? {} : { at }) });
    const { entries, next } = slice;
    at = slice.revision;
    for (const entry of entries) {
      if (items.length === room) return { items, revision: at, next: entry.key };
      const stored = createStored(entry, codec.select);
      // A selector decodes each object, which may take long.
      if (matches !== undefined && isTurnLong()) await nextTurn();
      if (matches === undefined || matches(stored)) items.push(stored);
    }
    if (next === undefined) return { items, revision: at };
    if (items.length >= room) return { items, revision: at, next, ...(matches === undefined ? remaining(slice) : {}) };
    start = next;
    await nextTurn();
  }
}

const remaining = ({ entries, total }: Slice): { remaining?: number } => (total === undefined ? {} : { remaining: total - entries.length });

const exactly = (freshness: Freshness): Revision | undefined =>
  typeof freshness === 'object' && 'exactly' in freshness ? freshness.exactly : undefined;

async function checkReached(engine: Engine, freshness: Freshness): Promise<void> {
  if (typeof freshness !== 'object' || !('notOlderThan' in freshness)) return;
  const head = await engine.head();
  if (head < freshness.notOlderThan) throw futureFailure(freshness.notOlderThan, head);
}
