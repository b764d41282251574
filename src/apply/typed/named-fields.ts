import { fieldNameOf, isFieldElement, type PathElement } from '../fieldpath/element.ts';
import type { FieldSet, SetNode } from '../fieldpath/set.ts';
import type { Structure } from './structure-form.ts';
import { partAt } from './structure-parts.ts';

/**
 * The set, with the members of messages on the way to its paths. Messages are no paths of their own, but one that lost all its fields must be
 * removed, too.
 */
export function withNamedFields(structure: Structure, set: FieldSet): FieldSet {
  const all = new Map<PathElement, SetNode>();
  for (const [element, node] of set) {
    const isNamed = structure.is === 'struct' && isFieldElement(element) && structure.fields.has(fieldNameOf(element));
    all.set(element, {
      isMember: node.isMember || isNamed,
      children: node.children.size === 0 ? node.children : withNamedFields(partAt(structure, element), node.children),
    });
  }
  return all;
}
