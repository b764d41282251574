import type { JsonObject } from '#base';
import { decode, formatTime } from '#schema';
import { difference, EMPTY_SET, equalSets, intersection, isEmptySet, recursiveDifference, union, type FieldSet } from './fieldpath/set.ts';
import { stripSystemFields } from './managers/strip-system-fields.ts';
import { identityOf, type Entry, type Managed } from './managed-fields.ts';
import { changedPaths, compare, without } from './typed/compare.ts';
import type { Comparison } from './typed/comparison.ts';
import { rememberedFor } from './typed/known-changes.ts';
import { structureOf } from './typed/structure.ts';
import { doing, type VersionForm, type VersionForms } from './versions.ts';

/** One write as ownership sees it. Objects are in the storage version and without `managedFields`. */
export interface Change {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly apiVersion: string;
  /** `after` in `apiVersion`, where it is known as it was said. */
  readonly own?: JsonObject;
  readonly forms: VersionForms;
  /** What the write could not change. */
  readonly resetFields: FieldSet;
}

/** A change in the words of each version somebody owns fields in; each is made once. */
export class ComparisonByVersion {
  readonly #change: Change;
  readonly #made = new Map<string, Comparison | undefined>();

  constructor(change: Change) {
    this.#change = change;
  }

  /** Undefined when the version is not served. */
  in(apiVersion: string): Comparison | undefined {
    if (this.#made.has(apiVersion)) return this.#made.get(apiVersion);
    const form = this.#change.forms(apiVersion);
    const comparison = form && this.#compareIn(form, apiVersion === this.#change.apiVersion);
    this.#made.set(apiVersion, comparison);
    return comparison;
  }

  /** What is said as empty is something only in the version in which it is said: no conversion would keep it. */
  #compareIn(form: VersionForm, isOwn: boolean): Comparison {
    const { before, after, own, resetFields } = this.#change;
    const was = doing('failed to convert old object', () => form.fromStorage(before));
    const is = isOwn && own !== undefined ? own : doing('failed to convert new object', () => form.fromStorage(after));
    return without(compare(structureOf(form.type), was, isOwn ? is : decode(form.type, is)), resetFields);
  }
}

/** What every other manager owns of what changed, by identity: those are conflicts for an applier. */
export function ownedByOthers(managed: Managed, self: string, changes: ComparisonByVersion): ReadonlyMap<string, FieldSet> {
  const owned = new Map<string, FieldSet>();
  for (const [id, entry] of managed) {
    const changed = id === self ? undefined : changes.in(entry.apiVersion);
    if (changed === undefined) continue;
    const shared = intersection(entry.fields, union(changed.modified, changed.added));
    if (!isEmptySet(shared)) owned.set(id, shared);
  }
  return owned;
}

/** Everyone but `self` loses what changed; who is left with nothing, or speaks of a version that is gone, disappears. */
export function takeFromOthers(managed: Managed, self: string | undefined, changes: ComparisonByVersion): Map<string, Entry> {
  const left = new Map<string, Entry>();
  for (const [id, entry] of managed) {
    if (id === self) {
      left.set(id, entry);
      continue;
    }
    const changed = changes.in(entry.apiVersion);
    if (changed === undefined) continue;
    const fields = difference(entry.fields, changedPaths(changed));
    if (!isEmptySet(fields)) left.set(id, fields === entry.fields ? entry : { ...entry, fields });
  }
  return left;
}

/** A writer of operation Update. */
export interface Updater {
  readonly manager: string;
  readonly subresource: string;
  readonly nowMs: number;
}

/** What the writer owns of what it changed and added. */
const takenBy = rememberedFor(({ added, modified, removed }, resetFields): FieldSet =>
  stripSystemFields(recursiveDifference(difference(union(modified, added), removed), resetFields)),
);

/** What changed and yet is not the writer's: it is gone, or nobody owns it. */
const notTaken = rememberedFor((comparison, taken): FieldSet => difference(changedPaths(comparison), taken));

/** Moves ownership as an update does: the writer takes what it changed and added, nobody keeps what is gone. */
export function moveOwnership(managed: Managed, change: Change, updater: Updater): Managed {
  const changes = new ComparisonByVersion(change);
  const mine = changes.in(change.apiVersion);
  if (mine === undefined || (mine.added.size === 0 && mine.modified.size === 0 && mine.removed.size === 0)) return managed;
  const taken = takenBy(mine, change.resetFields);
  if (isEmptySet(taken)) return takeFromOthers(managed, undefined, changes);
  const entry: Entry = {
    manager: updater.manager,
    operation: 'Update',
    apiVersion: change.apiVersion,
    subresource: updater.subresource,
    time: formatTime(updater.nowMs),
    fields: taken,
  };
  const id = identityOf(entry);
  const owned = managed.get(id);
  const next = takeFromOthers(managed, id, changes);
  // Who changes again what it owns has the same set as before, and what was made of that.
  const kept = owned === undefined ? EMPTY_SET : difference(owned.fields, notTaken(mine, taken));
  const fields = union(kept, taken);
  // The time is that of the set: new values of the same fields do not move it.
  next.set(id, owned !== undefined && equalSets(fields, owned.fields) ? owned : { ...entry, fields });
  return next;
}

