import { comesBefore } from '#base';
import type { ApiObject } from '#api';
import type { Key, Run, Stored } from '#storage';

/** All entries of a resource in the order of their keys, in runs. A snapshot is never changed. */
export type Snapshot<T extends ApiObject> = readonly Run<T>[];

/** Where a key stands in a snapshot, or would: the run (beyond the last one: none), and the place among its items. */
export interface Place {
  readonly run: number;
  readonly at: number;
}

/** How many entries stand before each run, and behind the last one how many there are. Made when a page of a snapshot is asked for. */
const before = new WeakMap<Snapshot<ApiObject>, Uint32Array>();

/** Where a key stands in a snapshot, or would. */
export function find<T extends ApiObject>(snapshot: Snapshot<T>, key: Key): Place {
  const run = runOf(snapshot, key);
  return { run, at: run === snapshot.length ? 0 : placeOf(snapshot[run]!.items, key) };
}

/** What stands from one place to before another; the first and the last run may be parts. */
export function* between<T extends ApiObject>(snapshot: Snapshot<T>, from: Place, to: Place): Generator<Run<T>> {
  for (let at = from.run; at <= to.run && at < snapshot.length; at++) {
    const run = snapshot[at]!;
    const { items } = run;
    const first = at === from.run ? from.at : 0;
    const last = at === to.run ? to.at : items.length;
    if (first === 0 && last === items.length) yield run;
    else if (first < last) yield { items: items.slice(first, last) };
  }
}

/** How many entries `between` would give. */
export function countBetween<T extends ApiObject>(snapshot: Snapshot<T>, from: Place, to: Place): number {
  let counts = before.get(snapshot);
  if (counts === undefined) before.set(snapshot, (counts = countBefore(snapshot)));
  return counts[to.run]! + to.at - counts[from.run]! - from.at;
}

function countBefore<T extends ApiObject>(snapshot: Snapshot<T>): Uint32Array {
  const counts = new Uint32Array(snapshot.length + 1);
  for (let at = 0; at < snapshot.length; at++) counts[at + 1] = counts[at]! + snapshot[at]!.items.length;
  return counts;
}

/** The first run that ends at `key` or behind it; their number when there is none. */
export function runOf<T extends ApiObject>(runs: Snapshot<T>, key: Key): number {
  const isBefore = comesBefore(key);
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const { items } = runs[middle]!;
    if (isBefore(items[items.length - 1]!.key)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where `key` stands among `items`, or would. */
export function placeOf<T extends ApiObject>(items: readonly Stored<T>[], key: Key): number {
  const isBefore = comesBefore(key);
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(items[middle]!.key)) low = middle + 1;
    else high = middle;
  }
  return low;
}
