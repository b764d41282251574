import { hasNoMembers, isDeepEqual, isJsonObject, type JsonObject, memberOf } from '#base';
import type { PathElement } from '../fieldpath/element.ts';
import { isEmptySet, recursiveDifference, union, type FieldSet } from '../fieldpath/set.ts';
import type { ChangeSink, Comparison } from './comparison.ts';
import { KnownCourse, rememberedFor } from './known-changes.ts';
import { itemsOf } from './list-items.ts';
import { memberElement } from './member-element.ts';
import { DEDUCED_OBJECT, LEAF_STRUCTURE, type ItemList, type MemberStructure, type Structure } from './structure-form.ts';
import { partOf } from './structure-parts.ts';

/**
 * Compares two values: which paths were added, removed and modified. Equal results share one `Comparison` (`known-changes.ts`).
 * Throws StructureFailure when a list on either side has items that are not unique.
 */
export function compare(structure: Structure, before: unknown, after: unknown): Comparison {
  const course = new KnownCourse();
  new CompareWalk(course).visit(structure, before, after);
  return course.comparison();
}

/** All paths that were added, removed or modified. */
export const changedPaths = (comparison: Comparison): FieldSet => union(union(comparison.modified, comparison.added), comparison.removed);

/** The comparison without these paths and everything below them. */
export const without = rememberedFor((comparison, fields): Comparison => {
  if (isEmptySet(fields)) return comparison;
  return {
    added: recursiveDifference(comparison.added, fields),
    removed: recursiveDifference(comparison.removed, fields),
    modified: recursiveDifference(comparison.modified, fields),
  };
});

/** The recursion of a comparison. undefined means absent; null is a value. */
class CompareWalk {
  readonly #sink: ChangeSink;
  /** The current path, for the messages of failures. */
  readonly #path: PathElement[] = [];

  constructor(sink: ChangeSink) {
    this.#sink = sink;
  }

  visit(structure: Structure, before: unknown, after: unknown): void {
    if (before === after) return;
    switch (structure.is) {
      case 'leaf':
        this.#leaf(before, after);
        break;
      case 'deduced':
        this.#deduced(before, after);
        break;
      case 'struct':
      case 'map':
        this.#members(structure, before, after);
        break;
      case 'set':
      case 'keyed':
        this.#items(structure, before, after);
        break;
    }
  }

  /** When an object replaces another type of value, or the reverse, the field is modified, and its members are added or removed as well. */
  #deduced(before: unknown, after: unknown): void {
    this.#members(DEDUCED_OBJECT, before, after);
    if ((fullObject(before) !== undefined && isPiece(after)) || (isPiece(before) && fullObject(after) !== undefined)) this.#sink.found('modified');
  }

  #leaf(before: unknown, after: unknown): void {
    if (before === undefined) this.#sink.found('added');
    else if (after === undefined) this.#sink.found('removed');
    else if (!isDeepEqual(before, after)) this.#sink.found('modified');
  }

  /** A value with parts counts as a path itself only when it is added or removed. */
  #container(before: unknown, after: unknown): void {
    if (before === undefined) this.#sink.found('added');
    else if (after === undefined) this.#sink.found('removed');
  }

  #members(structure: MemberStructure, before: unknown, after: unknown): void {
    const left = fullObject(before);
    const right = fullObject(after);
    // An empty object is not absent: it is compared as a leaf.
    if (left === undefined && right === undefined) return this.#leaf(before, after);
    if (left !== undefined) for (const name in left) this.#member(structure, name, left[name], right && memberOf(right, name));
    if (right !== undefined) {
      for (const name in right) if (left === undefined || !Object.hasOwn(left, name)) this.#member(structure, name, undefined, right[name]);
    }
    this.#container(before, after);
  }

  #member(structure: MemberStructure, name: string, before: unknown, after: unknown): void {
    if (before === after) return;
    this.#part(partOf(structure, name), memberElement(structure, name), before, after);
  }

  #items(list: ItemList, before: unknown, after: unknown): void {
    const left = itemsOf(list, before, this.#path);
    const right = itemsOf(list, after, this.#path);
    if (left.size === 0 && right.size === 0) return this.#leaf(before, after);
    const item = list.is === 'keyed' ? list.of() : LEAF_STRUCTURE;
    for (const [element, value] of left) this.#part(item, element, value, right.get(element));
    for (const [element, value] of right) if (!left.has(element)) this.#part(item, element, undefined, value);
    this.#container(before, after);
  }

  #part(structure: Structure, element: PathElement, before: unknown, after: unknown): void {
    this.#path.push(element);
    this.#sink.enter(element);
    this.visit(structure, before, after);
    this.#sink.leave();
    this.#path.pop();
  }
}

const isPiece = (value: unknown): boolean => value !== undefined && value !== null && !isJsonObject(value);

const fullObject = (value: unknown): JsonObject | undefined => (isJsonObject(value) && !hasNoMembers(value) ? value : undefined);
