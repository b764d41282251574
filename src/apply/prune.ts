import type { JsonObject } from '#base';
import { difference, EMPTY_SET, intersection, isEmptySet, union, type FieldSet } from './fieldpath/set.ts';
import type { Entry, Managed } from './managed-fields.ts';
import { withNamedFields } from './typed/named-fields.ts';
import { remove } from './typed/remove.ts';
import { structureOf, type Structure } from './typed/structure.ts';
import { toSet } from './typed/to-set.ts';
import { doing, inWordsOf, type VersionForms, type Worded } from './versions.ts';

/**
 * Removes what the applier owned by its last apply and no longer sends, unless somebody else owns it too. What it owned is told in the words of
 * the version it spoke then, so that is where it is removed. `managed` already has `now`, the applier's new entry; `merged` is in its version,
 * and so is the result.
 */
export function prune(merged: JsonObject, managed: Managed, last: Entry | undefined, now: Entry, forms: VersionForms): JsonObject {
  const form = last && forms(last.apiVersion);
  if (last === undefined || form === undefined || isEmptySet(last.fields)) return merged;
  // Who still sends all there was loses nothing.
  if (now.apiVersion === last.apiVersion && isEmptySet(difference(last.fields, now.fields))) return merged;
  const { apiVersion } = last;
  const structure = structureOf(form.type);
  const whole = doing('failed to convert merged object to last applied version', () => inWordsOf(apiVersion, { apiVersion: now.apiVersion, object: merged }, forms));
  const given = withNamedFields(structure, last.fields);
  const cut = { apiVersion, object: asObject(remove(structure, whole.object, given)) };
  const owned = doing('failed add back owned items', () => addBackOwned(whole, cut, managed, forms));
  const kept = doing('failed add back dangling items: failed to convert pruned object to last applied version', () => inWordsOf(apiVersion, owned, forms));
  // What went away without having been the applier's own stays.
  const all = withNamedFields(structure, toSet(structure, whole.object));
  const left = withNamedFields(structure, toSet(structure, kept.object));
  const object = asObject(remove(structure, whole.object, intersection(difference(all, left), given)));
  return inWordsOf(now.apiVersion, { apiVersion, object }, forms).object;
}

/** Puts back what was cut and belongs to somebody. The version of the last apply comes first, so that conversion finds what it needs. */
function addBackOwned(whole: Worded, cut: Worded, managed: Managed, forms: VersionForms): Worded {
  const owned = new Map<string, FieldSet>([[whole.apiVersion, EMPTY_SET]]);
  for (const { apiVersion, fields } of managed.values()) owned.set(apiVersion, union(owned.get(apiVersion) ?? EMPTY_SET, fields));
  let merged = whole;
  let kept = cut;
  for (const [apiVersion, fields] of owned) {
    const form = forms(apiVersion);
    if (form === undefined) continue;
    merged = doing(`failed to convert merged object at version ${apiVersion}`, () => inWordsOf(apiVersion, merged, forms));
    kept = doing(`failed to convert pruned object at version ${apiVersion}`, () => inWordsOf(apiVersion, kept, forms));
    kept = { apiVersion, object: addBack(structureOf(form.type), merged.object, kept.object, fields) };
  }
  return kept;
}

function addBack(structure: Structure, merged: JsonObject, cut: JsonObject, owned: FieldSet): JsonObject {
  const all = withNamedFields(structure, toSet(structure, merged));
  const left = withNamedFields(structure, toSet(structure, cut));
  return asObject(remove(structure, merged, difference(all, union(left, withNamedFields(structure, owned)))));
}

const asObject = (value: unknown): JsonObject => (value ?? {}) as JsonObject;
