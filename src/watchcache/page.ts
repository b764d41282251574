import { isTurnLong, nextTurn } from '#base';
import type { ApiObject } from '#api';
import { endOf, startOf, type Listing, type Query, type Revision, type Run, type Stored } from '#storage';
import { repeated, selectedOf } from './selected-runs.ts';
import { between, countBetween, find, positionOf, type Position, type Snapshot } from './snapshot.ts';

/**
 * A list, or a page of one, from a snapshot taken at `revision`. The cost of a page depends on its own entries, not on how many follow.
 * @spec 4.4
 */
export function pageOf<T extends ApiObject>(snapshot: Snapshot<T>, query: Query<T>, revision: Revision): Listing<T> | Promise<Listing<T>> {
  const from = find(snapshot, startOf(query));
  const to = find(snapshot, endOf(query.prefix));
  const { matches, limit = Infinity } = query;
  if (matches === undefined) return wholePage(snapshot, from, to, limit, revision);
  const text = repeated(query.matchesText);
  return matchingPage(between(snapshot, from, to), (run) => selectedOf(run, matches, text), limit, revision);
}

/** A page of all that is there. */
function wholePage<T extends ApiObject>(snapshot: Snapshot<T>, from: Position, to: Position, limit: number, revision: Revision): Listing<T> {
  const taken: Run<T>[] = [];
  let room = limit;
  for (const run of between(snapshot, from, to)) {
    const { items } = run;
    if (items.length > room) {
      taken.push({ items: items.slice(0, room) });
      const remaining = countBetween(snapshot, from, to) - limit;
      return { items: flat(taken), runs: taken, revision, next: items[room]!.key, remaining };
    }
    taken.push(run);
    room -= items.length;
  }
  return { items: flat(taken), runs: taken, revision };
}

/** Written as loops because lists are long, and this is most of the cost of a repeated list. */
function flat<T extends ApiObject>(runs: readonly Run<T>[]): readonly Stored<T>[] {
  const all: Stored<T>[] = [];
  for (const { items } of runs) for (const stored of items) all.push(stored);
  return all;
}

/** A page of what matches. It is followed by another one where anything is left to look at: whether that matches is not known before. */
async function matchingPage<T extends ApiObject>(
  runs: Iterable<Run<T>>,
  select: (run: Run<T>) => Run<T>,
  limit: number,
  revision: Revision,
): Promise<Listing<T>> {
  const taken: Run<T>[] = [];
  let room = limit;
  for (const run of runs) {
    if (room === 0) return { items: flat(taken), runs: taken, revision, next: run.items[0]!.key };
    // A selector may decode each object, and others may list in the same turn.
    if (isTurnLong()) await nextTurn();
    const selected = select(run);
    const part = selected.items.length > room ? { items: selected.items.slice(0, room) } : selected;
    const last = part.items.at(-1);
    if (last === undefined) continue;
    taken.push(part);
    room -= part.items.length;
    if (room === 0 && last !== run.items.at(-1)) {
      return { items: flat(taken), runs: taken, revision, next: run.items[positionOf(run.items, last.key) + 1]!.key };
    }
  }
  return { items: flat(taken), runs: taken, revision };
}
