import type { JsonObject } from '#base';
import { difference, EMPTY_SET, intersection, isEmptySet, union, type FieldSet } from './fieldpath/set.ts';
import type { Entry, Managed } from './managed-fields.ts';
import { withNamedFields } from './typed/named-fields.ts';
import { remove } from './typed/remove.ts';
import { structureOf, type Structure } from './typed/structure.ts';
import { toSet } from './typed/to-set.ts';
import type { VersionForms } from './versions.ts';

/**
 * Removes what the applier owned by its last apply and no longer sends, unless somebody else owns it too.
 * `merged` is in the storage version, and so is the result; `managed` already has `now`, the applier's new entry.
 */
export function prune(merged: JsonObject, managed: Managed, last: Entry | undefined, now: Entry, forms: VersionForms): JsonObject {
  const form = last && forms(last.apiVersion);
  if (last === undefined || form === undefined || isEmptySet(last.fields)) return merged;
  // Who still sends all there was loses nothing.
  if (now.apiVersion === last.apiVersion && isEmptySet(difference(last.fields, now.fields))) return merged;
  const structure = structureOf(form.type);
  const whole = form.fromStorage(merged);
  const given = withNamedFields(structure, last.fields);
  const cut = asObject(remove(structure, whole, given));
  const kept = addBackOwned(form.toStorage(whole), form.toStorage(cut), managed, last.apiVersion, forms);
  // What went away without having been the applier's own stays.
  const all = withNamedFields(structure, toSet(structure, whole));
  const left = withNamedFields(structure, toSet(structure, form.fromStorage(kept)));
  return form.toStorage(asObject(remove(structure, whole, intersection(difference(all, left), given))));
}

/** Puts back what was cut and belongs to somebody. The version of the last apply comes first, so that conversion finds what it needs. */
function addBackOwned(merged: JsonObject, cut: JsonObject, managed: Managed, first: string, forms: VersionForms): JsonObject {
  const owned = new Map<string, FieldSet>([[first, EMPTY_SET]]);
  for (const { apiVersion, fields } of managed.values()) owned.set(apiVersion, union(owned.get(apiVersion) ?? EMPTY_SET, fields));
  let kept = cut;
  for (const [apiVersion, fields] of owned) {
    const form = forms(apiVersion);
    if (form === undefined) continue;
    kept = form.toStorage(addBack(structureOf(form.type), form.fromStorage(merged), form.fromStorage(kept), fields));
  }
  return kept;
}

function addBack(structure: Structure, merged: JsonObject, cut: JsonObject, owned: FieldSet): JsonObject {
  const all = withNamedFields(structure, toSet(structure, merged));
  const left = withNamedFields(structure, toSet(structure, cut));
  return asObject(remove(structure, merged, difference(all, union(left, withNamedFields(structure, owned)))));
}

const asObject = (value: unknown): JsonObject => (value ?? {}) as JsonObject;
