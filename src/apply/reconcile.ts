import { EMPTY_SET, LEAF, type FieldSet, type SetNode } from './fieldpath/set.ts';
import { fieldNameOf, type PathElement } from './fieldpath/element.ts';
import type { Entry, Managed } from './managed-fields.ts';
import type { Structure } from './typed/structure-form.ts';
import { partAt } from './typed/structure-parts.ts';
import { structureOf } from './typed/structure.ts';
import type { VersionForms } from './versions.ts';

/** Without managers whose version is not served. */
export function withoutUnserved(managed: Managed, forms: VersionForms): Managed {
  for (const { apiVersion } of managed.values()) {
    if (forms(apiVersion) === undefined) return new Map([...managed].filter(([, entry]) => forms(entry.apiVersion) !== undefined));
  }
  return managed;
}

/**
 * Ownership after a schema made a list or map atomic: who owned parts of it owns it all. Those of built-in kinds did so between releases, and objects
 * may have been stored by an older one. The other way round nothing has to be done: to own the whole says nothing about its parts.
 * @spec 4.9
 */
export function reconcile(managed: Managed, forms: VersionForms): Managed {
  let changed: Map<string, Entry> | undefined;
  for (const [id, entry] of managed) {
    const form = forms(entry.apiVersion);
    const fields = form === undefined ? entry.fields : joined(structureOf(form.type), entry.fields);
    if (fields !== entry.fields) (changed ??= new Map(managed)).set(id, { ...entry, fields });
  }
  return changed ?? managed;
}

/** Sets that have no parts of what is one piece, by the structure in which they were found to have none: most sets are met again with the next write. */
const whole = new WeakMap<FieldSet, Structure>();

function joined(structure: Structure, fields: FieldSet): FieldSet {
  if (whole.get(fields) === structure) return fields;
  const all = joinParts(structure, fields);
  whole.set(all, structure);
  return all;
}

/** A member that the schema does not declare has not become atomic. */
const isDeclared = (structure: Structure, element: PathElement): boolean =>
  structure.is !== 'struct' || structure.rest !== undefined || structure.fields.has(fieldNameOf(element));

function joinParts(structure: Structure, fields: FieldSet): FieldSet {
  let changed: Map<PathElement, SetNode> | undefined;
  for (const [element, node] of fields) {
    if (node.children.size === 0 || !isDeclared(structure, element)) continue;
    const part = partAt(structure, element);
    const children = part.is === 'leaf' ? EMPTY_SET : joinParts(part, node.children);
    if (children === node.children) continue;
    (changed ??= new Map(fields)).set(element, part.is === 'leaf' ? LEAF : { isMember: node.isMember, children });
  }
  return changed ?? fields;
}
