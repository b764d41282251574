import { hasNoMembers, isJsonObject } from '#base';
import { fieldElement, type PathElement } from '../fieldpath/element.ts';
import { SetBuilder, type FieldSet } from '../fieldpath/set.ts';
import { partOf } from './compare.ts';
import { itemsOf, type ItemList } from './list-items.ts';
import { DEDUCED_OBJECT, type MemberStructure, type Structure } from './structure-form.ts';

/**
 * The paths a value speaks about: its leaves, its list items, and what is empty or null in it.
 * Throws StructureFailure when a list has items that cannot be told apart.
 */
export function toSet(structure: Structure, value: unknown): FieldSet {
  const into = new SetBuilder();
  visit(structure, value, [], into);
  return into.finish();
}

function visit(structure: Structure, value: unknown, path: PathElement[], into: SetBuilder): void {
  switch (structure.is) {
    case 'leaf':
      return into.insert(path);
    case 'deduced':
      return isJsonObject(value) ? visitMembers(DEDUCED_OBJECT, value, path, into) : into.insert(path);
    case 'struct':
    case 'map':
      return visitMembers(structure, value, path, into);
    case 'set':
    case 'keyed':
      return visitItems(structure, value, path, into);
  }
}

function visitMembers(structure: MemberStructure, value: unknown, path: PathElement[], into: SetBuilder): void {
  if (!isJsonObject(value)) return;
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    path.push(fieldElement(name));
    visit(partOf(structure, name), member, path, into);
    // The entries of a map come and go, so they are paths themselves; the members of a message do not.
    if (structure.is === 'map' || !structure.fields.has(name) || member === null || (isJsonObject(member) && hasNoMembers(member))) into.insert(path);
    path.pop();
  }
}

function visitItems(list: ItemList, value: unknown, path: PathElement[], into: SetBuilder): void {
  for (const [element, item] of itemsOf(list, value, path)) {
    path.push(element);
    if (list.is === 'keyed') visit(list.of(), item, path, into);
    into.insert(path);
    path.pop();
  }
}
