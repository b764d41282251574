import { KnownTexts, ownText } from '#base';
import { fieldElement, type PathElement } from '../fieldpath/element.ts';
import type { MemberStructure } from './structure-form.ts';

/** Steps to the members that schemas name: a text that is made anew is read to be found, and these come with every object. */
const known = new KnownTexts<PathElement>({ max: 5_000, maxLength: 256 }, (name) => ownText(fieldElement(name)));

/** The step to a member. */
export const memberElement = (structure: MemberStructure, name: string): PathElement =>
  structure.is === 'map' || !structure.fields.has(name) ? fieldElement(name) : known.of(name);
