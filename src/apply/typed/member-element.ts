import { GenerationCache, ownText } from '#base';
import { fieldElement, type PathElement } from '../fieldpath/element.ts';
import type { MemberStructure } from './structure-form.ts';

/** Steps to the members that schemas name: a text that is made anew is read to be found, and these come with every object. */
const known = new GenerationCache<string, PathElement>(5_000, () => 1);

/** The step to a member. */
export function memberElement(structure: MemberStructure, name: string): PathElement {
  if (structure.is === 'map' || !structure.fields.has(name)) return fieldElement(name);
  let element = known.get(name);
  if (element === undefined) known.set(name, (element = ownText(fieldElement(name))));
  return element;
}
