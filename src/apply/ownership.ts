import type { JsonObject } from '#base';
import { decodeMerged, formatTime } from '#schema';
import { difference, EMPTY_SET, equalSets, intersection, isEmptySet, recursiveDifference, union, type FieldSet } from './fieldpath/set.ts';
import { stripSystemFields } from './managers/strip-system-fields.ts';
import { identityOf, type Entry, type Managed } from './managed-fields.ts';
import { changedPaths, compare, without } from './typed/compare.ts';
import type { Comparison } from './typed/comparison.ts';
import { rememberedFor } from './typed/known-changes.ts';
import { structureOf } from './typed/structure.ts';
import { doing, type VersionForm, type VersionForms } from './versions.ts';

/** What one write changes. Objects are in the storage version and without `managedFields`. */
export interface Change {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly apiVersion: string;
  /** `after` in `apiVersion`, as it was sent, where that is known. */
  readonly own?: JsonObject;
  readonly forms: VersionForms;
  /** Fields that the write cannot change (see `resetFieldsOf`). */
  readonly resetFields: FieldSet;
}

/** Compares before and after in each version in which a manager owns fields; each comparison is made once. */
export class ComparisonByVersion {
  readonly #change: Change;
  readonly #made = new Map<string, Comparison | undefined>();

  constructor(change: Change) {
    this.#change = change;
  }

  /** The comparison in a version; undefined when the version is not served. Throws `VersionFailure`. */
  in(apiVersion: string): Comparison | undefined {
    if (this.#made.has(apiVersion)) return this.#made.get(apiVersion);
    const form = this.#change.forms(apiVersion);
    const comparison = form && this.#compareIn(form, apiVersion === this.#change.apiVersion);
    this.#made.set(apiVersion, comparison);
    return comparison;
  }

  /** Empty members exist only in the version in which they were sent: no conversion keeps them, but those of custom resources. */
  #compareIn(form: VersionForm, isOwn: boolean): Comparison {
    const { before, after, own, resetFields } = this.#change;
    const was = doing('failed to convert old object', () => form.fromStorage(before));
    const is = isOwn && own !== undefined ? own : doing('failed to convert new object', () => form.fromStorage(after));
    const isKept = isOwn || form.type.open !== undefined;
    const comparison = compare(structureOf(form.type), was, isKept ? is : decodeMerged(form.type, is));
    return form.losesResetFields === true && !isOwn ? comparison : without(comparison, resetFields);
  }
}

/** A set of the paths in the comparison of a version, which is made once: very many managers may own fields in one version. */
function pathsByVersion(changes: ComparisonByVersion, make: (comparison: Comparison) => FieldSet): (apiVersion: string) => FieldSet | undefined {
  const made = new Map<Comparison, FieldSet>();
  return (apiVersion) => {
    const comparison = changes.in(apiVersion);
    if (comparison === undefined) return undefined;
    let paths = made.get(comparison);
    if (paths === undefined) made.set(comparison, (paths = make(comparison)));
    return paths;
  };
}

/** The changed fields that other managers own, by identity: conflicts for an applier. */
export function ownedByOthers(managed: Managed, self: string, changes: ComparisonByVersion): ReadonlyMap<string, FieldSet> {
  const owned = new Map<string, FieldSet>();
  const changedIn = pathsByVersion(changes, ({ modified, added }) => union(modified, added));
  for (const [id, entry] of managed) {
    const changed = id === self ? undefined : changedIn(entry.apiVersion);
    if (changed === undefined) continue;
    const shared = intersection(entry.fields, changed);
    if (!isEmptySet(shared)) owned.set(id, shared);
  }
  return owned;
}

/** All managers but `self` lose the changed fields; one that is left with none, or whose version is no longer served, disappears. */
export function takeFromOthers(managed: Managed, self: string | undefined, changes: ComparisonByVersion): Map<string, Entry> {
  const left = new Map<string, Entry>();
  const changedIn = pathsByVersion(changes, changedPaths);
  for (const [id, entry] of managed) {
    if (id === self) {
      left.set(id, entry);
      continue;
    }
    const changed = changedIn(entry.apiVersion);
    if (changed === undefined) continue;
    const fields = difference(entry.fields, changed);
    if (!isEmptySet(fields)) left.set(id, fields === entry.fields ? entry : { ...entry, fields });
  }
  return left;
}

/** The manager of a create, update or patch. */
export interface Updater {
  readonly manager: string;
  readonly subresource: string;
  readonly nowMs: number;
}

/** The changed and added fields, which the writer owns from now on. */
const takenBy = rememberedFor(({ added, modified, removed }, resetFields): FieldSet =>
  stripSystemFields(recursiveDifference(difference(union(modified, added), removed), resetFields)),
);

/** Changed fields that the writer does not own: they were removed, or no manager can own them. */
const notTaken = rememberedFor((comparison, taken): FieldSet => difference(changedPaths(comparison), taken));

/** Whether owners in another version may lose fields though nothing changed in that of the write. */
function losesElsewhere(managed: Managed, { apiVersion, forms }: Change): boolean {
  for (const entry of managed.values()) if (entry.apiVersion !== apiVersion && forms(entry.apiVersion)?.losesResetFields === true) return true;
  return false;
}

/**
 * Ownership after an update: the writer owns the fields it changed and added, and removed fields have no owner. `stored`: the owners before they were
 * reconciled with the schema.
 */
export function moveOwnership(managed: Managed, change: Change, updater: Updater, stored = managed): Managed {
  const changes = new ComparisonByVersion(change);
  const mine = changes.in(change.apiVersion);
  if (mine === undefined) return managed;
  if (mine.added.size + mine.modified.size + mine.removed.size === 0 && !losesElsewhere(managed, change)) return managed;
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
  // A writer that changes fields it owns keeps its set, and with it what was made of that.
  const kept = owned === undefined ? EMPTY_SET : difference(owned.fields, notTaken(mine, taken));
  const fields = union(kept, taken);
  // The time is that of the last change of the set: new values of the same fields do not update it.
  next.set(id, owned !== undefined && owned === stored.get(id) && equalSets(fields, owned.fields) ? owned : { ...entry, fields });
  return next;
}

