import { fieldNameOf, isFieldElement, type PathElement } from '../fieldpath/element.ts';
import { LEAF_STRUCTURE, type MemberStructure, type Structure } from './structure-form.ts';

/** The structure of a member. One that the schema does not declare is a leaf. */
export const partOf = (structure: MemberStructure, name: string): Structure =>
  structure.is === 'map' ? structure.of() : (structure.fields.get(name)?.() ?? structure.rest?.() ?? LEAF_STRUCTURE);

/** The structure one path element below; a leaf where the set is deeper than the schema. */
export function partAt(structure: Structure, element: PathElement): Structure {
  if (structure.is === 'keyed') return structure.of();
  if (structure.is === 'deduced') return structure;
  if (structure.is !== 'struct' && structure.is !== 'map') return LEAF_STRUCTURE;
  return isFieldElement(element) ? partOf(structure, fieldNameOf(element)) : LEAF_STRUCTURE;
}
