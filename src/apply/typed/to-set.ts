import { hasNoMembers, isJsonObject } from '#base';
import { indexElement, type PathElement } from '../fieldpath/element.ts';
import { EMPTY_SET, LEAF, union, type FieldSet, type SetNode } from '../fieldpath/set.ts';
import { elementOf, itemsOf } from './list-items.ts';
import { memberElement } from './member-element.ts';
import { StructureFailure } from './structure-failure.ts';
import { DEDUCED_OBJECT, type ItemList, type MemberStructure, type Structure } from './structure-form.ts';
import { partOf } from './structure-parts.ts';

/**
 * The paths that a value sets: its leaves, its list items and map entries, and its empty or null fields.
 * Throws StructureFailure when a list has items that are not unique.
 */
export const toSet = (structure: Structure, value: unknown): FieldSet => pathsBelow(structure, value, { path: [], isRest: false });

/** The same for what removals left of a value: items that lost their keys are known by position. */
export const toSetOfRest = (structure: Structure, value: unknown): FieldSet => pathsBelow(structure, value, { path: [], isRest: true });

interface Course {
  /** For the messages of failures. */
  readonly path: PathElement[];
  readonly isRest: boolean;
}

function pathsBelow(structure: Structure, value: unknown, course: Course): FieldSet {
  switch (structure.is) {
    case 'leaf':
      return EMPTY_SET;
    case 'deduced':
      return isJsonObject(value) ? membersOf(DEDUCED_OBJECT, value, course) : EMPTY_SET;
    case 'struct':
    case 'map':
      return isJsonObject(value) ? membersOf(structure, value, course) : EMPTY_SET;
    case 'set':
    case 'keyed':
      return itemsBelow(structure, value, course);
  }
}

function membersOf(structure: MemberStructure, value: Readonly<Record<string, unknown>>, course: Course): FieldSet {
  let set: Map<PathElement, SetNode> | undefined;
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    const element = memberElement(structure, name);
    const part = partOf(structure, name);
    course.path.push(element);
    const children = pathsBelow(part, member, course);
    course.path.pop();
    const isMember = isOnePiece(part, member) || comesAndGoes(structure, name, member);
    if (isMember || children.size > 0) (set ??= new Map()).set(element, nodeOf(isMember, children));
  }
  return set ?? EMPTY_SET;
}

/** Whether a member counts as a path itself: map entries and undeclared fields do; declared fields only when they are null or empty. */
const comesAndGoes = (structure: MemberStructure, name: string, member: unknown): boolean =>
  structure.is === 'map' || !structure.fields.has(name) || member === null || (isJsonObject(member) && hasNoMembers(member));

const isOnePiece = ({ is }: Structure, value: unknown): boolean => is === 'leaf' || (is === 'deduced' && !isJsonObject(value));

function itemsBelow(list: ItemList, value: unknown, course: Course): FieldSet {
  const { path, isRest } = course;
  const items = isRest ? itemsOfRest(list, value) : itemsOf(list, value, path);
  let set: Map<PathElement, SetNode> | undefined;
  for (const [element, item] of items) {
    set ??= new Map();
    path.push(element);
    const children = list.is === 'keyed' ? pathsBelow(list.of(), item, course) : EMPTY_SET;
    set.set(element, nodeOf(true, union(set.get(element)?.children ?? EMPTY_SET, children)));
    path.pop();
  }
  return set ?? EMPTY_SET;
}

/** Several items may have one element, where they lost a key that has a default. */
const itemsOfRest = (list: ItemList, value: unknown): readonly (readonly [PathElement, unknown])[] =>
  Array.isArray(value) ? value.map((item: unknown, at) => [elementOfRest(list, item, at), item]) : [];

function elementOfRest(list: ItemList, item: unknown, at: number): PathElement {
  try {
    return elementOf(list, item, at, []);
  } catch (error) {
    if (error instanceof StructureFailure) return indexElement(at);
    throw error;
  }
}

/** Makes a node. Most are leaves, and share one object. */
const nodeOf = (isMember: boolean, children: FieldSet): SetNode => (isMember && children.size === 0 ? LEAF : { isMember, children });
