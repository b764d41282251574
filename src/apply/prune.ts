import type { JsonObject } from '#base';
import { difference, intersection, isEmptySet, union, unionOf, type FieldSet } from './fieldpath/set.ts';
import type { Entry, Managed } from './managed-fields.ts';
import { withNamedFields } from './typed/named-fields.ts';
import { remove } from './typed/remove.ts';
import type { Structure } from './typed/structure-form.ts';
import { structureOf } from './typed/structure.ts';
import { toSet, toSetOfRest } from './typed/to-set.ts';
import { doing, inVersion, type VersionedObject, type VersionForms } from './versions.ts';

/**
 * Removes the fields that the applier owned since its last apply and no longer sends, unless others own them too. They are removed in the version
 * of that last apply, since its set of fields is in that version. `managed` already has `now`, the applier's new entry; `merged` is in its
 * version, and so is the result.
 */
export function prune(merged: JsonObject, managed: Managed, last: Entry | undefined, now: Entry, forms: VersionForms): JsonObject {
  const form = last && forms(last.apiVersion);
  if (last === undefined || form === undefined || isEmptySet(last.fields)) return merged;
  // An applier that still sends all it owned loses nothing.
  if (now.apiVersion === last.apiVersion && isEmptySet(difference(last.fields, now.fields))) return merged;
  const { apiVersion } = last;
  const structure = structureOf(form.type);
  const sent = { apiVersion: now.apiVersion, object: merged };
  const whole = doing('failed to convert merged object to last applied version', () => inVersion(apiVersion, sent, forms));
  const given = withNamedFields(structure, last.fields);
  const cut = { apiVersion, object: asObject(remove(structure, whole.object, given)) };
  const owned = doing('failed add back owned items', () => addBackOwned(whole, cut, managed, forms));
  const kept = doing('failed add back dangling items: failed to convert pruned object to last applied version', () => inVersion(apiVersion, owned, forms));
  // What went along with a removed parent, or in a conversion, and was not the applier's, stays.
  const all = withNamedFields(structure, toSet(structure, whole.object));
  const left = withNamedFields(structure, toSetOfRest(structure, kept.object));
  const object = asObject(remove(structure, whole.object, intersection(difference(all, left), given)));
  return inVersion(now.apiVersion, { apiVersion, object }, forms).object;
}

/** Puts back removed fields that others own, version by version. That of the last apply comes first, so that conversion finds what it needs. */
function addBackOwned(whole: VersionedObject, cut: VersionedObject, managed: Managed, forms: VersionForms): VersionedObject {
  const owned = new Map<string, FieldSet[]>([[whole.apiVersion, []]]);
  for (const { apiVersion, fields } of managed.values()) {
    const sets = owned.get(apiVersion) ?? [];
    owned.set(apiVersion, sets);
    sets.push(fields);
  }
  let merged = whole;
  let kept = cut;
  for (const [apiVersion, sets] of owned) {
    const form = forms(apiVersion);
    if (form === undefined) continue;
    merged = doing(`failed to convert merged object at version ${apiVersion}`, () => inVersion(apiVersion, merged, forms));
    kept = doing(`failed to convert pruned object at version ${apiVersion}`, () => inVersion(apiVersion, kept, forms));
    kept = { apiVersion, object: addBack(structureOf(form.type), merged.object, kept.object, unionOf(sets)) };
  }
  return kept;
}

function addBack(structure: Structure, merged: JsonObject, cut: JsonObject, owned: FieldSet): JsonObject {
  const all = withNamedFields(structure, toSet(structure, merged));
  const left = withNamedFields(structure, toSetOfRest(structure, cut));
  return asObject(remove(structure, merged, difference(all, union(left, withNamedFields(structure, owned)))));
}

const asObject = (value: unknown): JsonObject => (value ?? {}) as JsonObject;
