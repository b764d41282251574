import { KnownTexts, ownText } from '#base';
import { fieldElement, type PathElement } from '../fieldpath/element.ts';
import type { MemberStructure } from './structure-form.ts';

/**
 * The path elements of fields that schemas declare. They occur in every object, and a newly made string would have to be hashed for each map look-up.
 */
const known = new KnownTexts<PathElement>({ max: 5_000, maxLength: 256 }, (name) => ownText(fieldElement(name)));

/** The path element of a member. */
export const memberElement = (structure: MemberStructure, name: string): PathElement =>
  structure.is === 'map' || !structure.fields.has(name) ? fieldElement(name) : known.of(name);
