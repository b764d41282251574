import { hasNoMembers, isJsonObject } from '#base';
import type { PathElement } from '../fieldpath/element.ts';
import { EMPTY_SET, LEAF, type FieldSet, type SetNode } from '../fieldpath/set.ts';
import { partOf } from './compare.ts';
import { itemsOf } from './list-items.ts';
import { memberElement } from './member-element.ts';
import { DEDUCED_OBJECT, type ItemList, type MemberStructure, type Structure } from './structure-form.ts';

/**
 * The paths that a value sets: its leaves, its list items and map entries, and its empty or null fields.
 * Throws StructureFailure when a list has items that are not unique.
 */
export const toSet = (structure: Structure, value: unknown): FieldSet => pathsBelow(structure, value, []);

/** `path` is for the messages of failures. */
function pathsBelow(structure: Structure, value: unknown, path: PathElement[]): FieldSet {
  switch (structure.is) {
    case 'leaf':
      return EMPTY_SET;
    case 'deduced':
      return isJsonObject(value) ? membersOf(DEDUCED_OBJECT, value, path) : EMPTY_SET;
    case 'struct':
    case 'map':
      return isJsonObject(value) ? membersOf(structure, value, path) : EMPTY_SET;
    case 'set':
    case 'keyed':
      return itemsBelow(structure, value, path);
  }
}

function membersOf(structure: MemberStructure, value: Readonly<Record<string, unknown>>, path: PathElement[]): FieldSet {
  let set: Map<PathElement, SetNode> | undefined;
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    const element = memberElement(structure, name);
    const part = partOf(structure, name);
    path.push(element);
    const children = pathsBelow(part, member, path);
    path.pop();
    const isMember = isOnePiece(part, member) || comesAndGoes(structure, name, member);
    if (isMember || children.size > 0) (set ??= new Map()).set(element, nodeOf(isMember, children));
  }
  return set ?? EMPTY_SET;
}

/** Whether a member counts as a path itself: map entries and undeclared fields do; declared fields only when they are null or empty. */
const comesAndGoes = (structure: MemberStructure, name: string, member: unknown): boolean =>
  structure.is === 'map' || !structure.fields.has(name) || member === null || (isJsonObject(member) && hasNoMembers(member));

const isOnePiece = ({ is }: Structure, value: unknown): boolean => is === 'leaf' || (is === 'deduced' && !isJsonObject(value));

function itemsBelow(list: ItemList, value: unknown, path: PathElement[]): FieldSet {
  const items = itemsOf(list, value, path);
  if (items.size === 0) return EMPTY_SET;
  const set = new Map<PathElement, SetNode>();
  for (const [element, item] of items) {
    path.push(element);
    set.set(element, nodeOf(true, list.is === 'keyed' ? pathsBelow(list.of(), item, path) : EMPTY_SET));
    path.pop();
  }
  return set;
}

/** Makes a node. Most are leaves, and share one object. */
const nodeOf = (isMember: boolean, children: FieldSet): SetNode => (isMember && children.size === 0 ? LEAF : { isMember, children });
