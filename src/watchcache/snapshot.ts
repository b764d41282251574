import { comesBefore } from '#base';
import type { ApiObject } from '#api';
import type { Key, Run, Stored } from '#storage';

/** All objects of a resource in key order, in runs. Immutable. */
export type Snapshot<T extends ApiObject> = readonly Run<T>[];

/** The position of a key in a snapshot, present or not: the index of the run (their number: after all runs), and the index among its items. */
export interface Position {
  readonly run: number;
  readonly at: number;
}

/** The number of entries before each run, and at the end the total. Computed when the first page of a snapshot is requested. */
const itemsBefore = new WeakMap<Snapshot<ApiObject>, Uint32Array>();

/** The position of a key in a snapshot, present or not. */
export function find<T extends ApiObject>(snapshot: Snapshot<T>, key: Key): Position {
  const run = runOf(snapshot, key);
  return { run, at: run === snapshot.length ? 0 : positionOf(snapshot[run]!.items, key) };
}

/** The runs from one position (inclusive) to another (exclusive); the first and the last run may be partial copies. */
export function* between<T extends ApiObject>(snapshot: Snapshot<T>, from: Position, to: Position): Generator<Run<T>> {
  for (let at = from.run; at <= to.run && at < snapshot.length; at++) {
    const run = snapshot[at]!;
    const { items } = run;
    const first = at === from.run ? from.at : 0;
    const last = at === to.run ? to.at : items.length;
    if (first === 0 && last === items.length) yield run;
    else if (first < last) yield { items: items.slice(first, last) };
  }
}

/** The number of entries that `between` would return. */
export function countBetween<T extends ApiObject>(snapshot: Snapshot<T>, from: Position, to: Position): number {
  let counts = itemsBefore.get(snapshot);
  if (counts === undefined) itemsBefore.set(snapshot, (counts = countBefore(snapshot)));
  return counts[to.run]! + to.at - counts[from.run]! - from.at;
}

function countBefore<T extends ApiObject>(snapshot: Snapshot<T>): Uint32Array {
  const counts = new Uint32Array(snapshot.length + 1);
  for (let at = 0; at < snapshot.length; at++) counts[at + 1] = counts[at]! + snapshot[at]!.items.length;
  return counts;
}

/** The index of the first run whose last key is not before `key`; the number of runs when there is none. */
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

/** The index of `key` among `items`, present or not. */
export function positionOf<T extends ApiObject>(items: readonly Stored<T>[], key: Key): number {
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
