import { nextTurn } from '#base';
import type { ApiObject } from '#api';
import { endOf, type Key, type Listing, type Query, type Revision, type Run, type Stored } from '#storage';
import { repeated, selectedOf } from './selected-runs.ts';
import { placeOf, runOf, type Snapshot } from './state.ts';

/** Looking into entries may mean to decode them: after this long others get on. */
const TURN_MS = 10;

/**
 * A list, or a page of one, out of a snapshot taken at `revision`.
 * @spec 4.4
 */
export function pageOf<T extends ApiObject>(snapshot: Snapshot<T>, query: Query<T>, revision: Revision): Listing<T> | Promise<Listing<T>> {
  const runs = cut(snapshot, startOf(query), endOf(query.prefix));
  const { matches, limit } = query;
  if (matches === undefined) return wholePage(runs, limit, revision);
  const text = repeated(query.matchesText);
  return matchingPage(runs, (run) => selectedOf(run, matches, text), limit ?? Infinity, revision);
}

/** `from` comes from clients: it must not lead out of the collection. */
function startOf({ prefix, from }: Pick<Query, 'prefix' | 'from'>): Key {
  if (from === undefined) return prefix;
  if (!from.startsWith(prefix)) throw new RangeError(`${from} is not under ${prefix}`);
  return from;
}

/** The runs of `start <= key < end`; the first and the last one may be parts. */
function cut<T extends ApiObject>(snapshot: Snapshot<T>, start: Key, end: Key): Run<T>[] {
  const runs: Run<T>[] = [];
  for (let at = runOf(snapshot, start); at < snapshot.length; at++) {
    const run = snapshot[at]!;
    const { items } = run;
    if (items[0]!.key >= end) break;
    const first = items[0]!.key < start ? placeOf(items, start) : 0;
    const last = items[items.length - 1]!.key >= end ? placeOf(items, end) : items.length;
    if (first === 0 && last === items.length) runs.push(run);
    else if (first < last) runs.push({ items: items.slice(first, last) });
  }
  return runs;
}

function wholePage<T extends ApiObject>(runs: Run<T>[], limit: number | undefined, revision: Revision): Listing<T> {
  let total = 0;
  for (const { items } of runs) total += items.length;
  if (limit === undefined || total <= limit) return { items: flat(runs), runs, revision };
  const taken: Run<T>[] = [];
  let room = limit;
  for (const run of runs) {
    const { items } = run;
    if (items.length <= room) {
      taken.push(run);
      room -= items.length;
      continue;
    }
    if (room > 0) taken.push({ items: items.slice(0, room) });
    return { items: flat(taken), runs: taken, revision, next: items[room]!.key, remaining: total - limit };
  }
  throw new Error('a page is longer than the list it is taken from');
}

/** Loops, since lists are long and this is most of what a list that is asked for again costs. */
function flat<T extends ApiObject>(runs: readonly Run<T>[]): readonly Stored<T>[] {
  const all: Stored<T>[] = [];
  for (const { items } of runs) for (const stored of items) all.push(stored);
  return all;
}

async function matchingPage<T extends ApiObject>(
  runs: readonly Run<T>[],
  select: (run: Run<T>) => Run<T>,
  limit: number,
  revision: Revision,
): Promise<Listing<T>> {
  const taken: Run<T>[] = [];
  let room = limit;
  let turnEnds = performance.now() + TURN_MS;
  for (const run of runs) {
    const selected = select(run);
    const { items } = selected;
    if (items.length > room) {
      if (room > 0) taken.push({ items: items.slice(0, room) });
      return { items: flat(taken), runs: taken, revision, next: items[room]!.key };
    }
    if (items.length > 0) taken.push(selected);
    room -= items.length;
    if (performance.now() < turnEnds) continue;
    await nextTurn();
    turnEnds = performance.now() + TURN_MS;
  }
  return { items: flat(taken), runs: taken, revision };
}
