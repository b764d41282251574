import { isJsonObject, type JsonObject, setMember } from '#base';
import { fieldElement } from '../fieldpath/element.ts';
import type { FieldSet, SetNode } from '../fieldpath/set.ts';
import { elementOf } from './list-items.ts';
import { DEDUCED_OBJECT, type ItemList, type MemberStructure, type Structure } from './structure-form.ts';
import { partOf } from './structure-parts.ts';

/** A copy of the value without these paths; an object or list that loses all its parts becomes null, and is no item of a list any more. */
export function remove(structure: Structure, value: unknown, paths: FieldSet): unknown {
  if (paths.size === 0) return value;
  switch (structure.is) {
    case 'leaf':
      return value;
    case 'deduced':
      return isJsonObject(value) ? removeMembers(DEDUCED_OBJECT, value, paths) : value;
    case 'struct':
    case 'map':
      return isJsonObject(value) ? removeMembers(structure, value, paths) : value;
    case 'set':
    case 'keyed':
      return Array.isArray(value) ? removeItems(structure, value, paths) : value;
  }
}

function removeMembers(structure: MemberStructure, value: JsonObject, paths: FieldSet): unknown {
  const kept: JsonObject = {};
  let isEmpty = true;
  for (const name of Object.keys(value)) {
    const node = paths.get(fieldElement(name));
    if (node?.isMember === true) continue;
    setMember(kept, name, below(partOf(structure, name), value[name], node));
    isEmpty = false;
  }
  return isEmpty ? null : kept;
}

function removeItems(list: ItemList, value: readonly unknown[], paths: FieldSet): unknown {
  const kept: unknown[] = [];
  for (const [at, item] of value.entries()) {
    const node = paths.get(elementOf(list, item, at, []));
    if (node?.isMember === true) continue;
    const left = list.is === 'keyed' ? below(list.of(), item, node) : item;
    if (left !== null) kept.push(left);
  }
  return kept.length === 0 ? null : kept;
}

const below = (structure: Structure, value: unknown, node: SetNode | undefined): unknown =>
  node === undefined ? value : remove(structure, value, node.children);
