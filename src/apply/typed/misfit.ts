import { isJsonObject, type JsonObject } from '#base';
import { goPlain, goTypeOf, goUntypedText } from '#errors';
import { additionalOf, decode, DecodeFailure, unknownFields, OBJECT_HEAD, type MessageType, type Structural } from '#schema';
import { fieldElement, indexElement, type PathElement } from '../fieldpath/element.ts';
import { partOf } from './compare.ts';
import { elementOf } from './list-items.ts';
import { StructureFailure } from './structure-failure.ts';
import type { Structure } from './structure-form.ts';
import { structureOf } from './structure.ts';

/** Why an object is none of a type, or says what is not declared; undefined: it is one. Values are judged by their types alone. */
export function misfitOf(type: MessageType, object: JsonObject): string | undefined {
  try {
    decode(type, object);
  } catch (error) {
    if (error instanceof DecodeFailure) return error.message;
    throw error;
  }
  const [unknown] = unknownFields(type, object);
  return otherTypeIn(type, object, unknown !== undefined) ?? (unknown === undefined ? undefined : `.${unknown}: ${UNDECLARED}`);
}

/** The same of a type made at run time, where all that stands there is declared, unless `seeksUndeclared`. */
export function otherTypeIn(type: MessageType, object: JsonObject, seeksUndeclared = false): string | undefined {
  if (type.open === undefined) return undefined;
  try {
    visitMembers({ ...type.open.schema, isEmbedded: true }, structureOf(type), object, { path: [], seeksUndeclared });
    return undefined;
  } catch (error) {
    if (error instanceof StructureFailure) return error.message;
    throw error;
  }
}

const UNDECLARED = 'field not declared in schema';

interface Course {
  readonly path: PathElement[];
  readonly seeksUndeclared: boolean;
}

/** What a value must be, by the type its schema names, and how it is told that it is not: as Go shows values in different ways. */
const TYPES: ReadonlyMap<string, { readonly fits: (value: unknown) => boolean; readonly tell: (value: unknown) => string }> = new Map([
  ['object', { fits: isJsonObject, tell: (value) => `expected map, got &{${goPlain(value)}}` }],
  ['array', { fits: Array.isArray, tell: (value) => `expected list, got &{${goPlain(value)}}` }],
  ['string', { fits: (value) => typeof value === 'string', tell: (value) => `expected string, got &value.valueUnstructured{Value:${goUntypedText(value)}}` }],
  ['boolean', { fits: (value) => typeof value === 'boolean', tell: (value) => `expected boolean, got &{${goPlain(value)}}` }],
  ['integer', { fits: isNumber, tell: tellNumber }],
  ['number', { fits: isNumber, tell: tellNumber }],
]);

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'bigint';
}

function tellNumber(value: unknown): string {
  return `expected numeric (int or float), got ${goTypeOf(value)}`;
}

/** Throws StructureFailure. Absent parts are fine, and so is null. */
function visit(schema: Structural, structure: Structure, value: unknown, course: Course): void {
  if (value === null || value === undefined) return;
  const type = TYPES.get(schema.props.type ?? '');
  if (type !== undefined && !type.fits(value)) throw new StructureFailure(course.path, type.tell(value));
  if (Array.isArray(value)) visitItems(schema, structure, value, course);
  else if (isJsonObject(value)) visitMembers(schema, structure, value, course);
}

function visitItems({ items }: Structural, structure: Structure, value: readonly unknown[], course: Course): void {
  if (items === undefined) return;
  const { path } = course;
  const list = structure.is === 'set' || structure.is === 'keyed' ? structure : undefined;
  const part = structure.is === 'keyed' ? structure.of() : LEAF;
  for (const [at, item] of value.entries()) {
    path.push(list === undefined ? indexElement(at) : elementOf(list, item, at, path));
    visit(items, part, item, course);
    path.pop();
  }
}

function visitMembers(schema: Structural, structure: Structure, value: JsonObject, course: Course): void {
  const { path } = course;
  for (const name of Object.keys(value)) {
    if (schema.isEmbedded && OBJECT_HEAD.has(name)) continue;
    const part = schema.properties.get(name) ?? additionalOf(schema);
    if (part === undefined && !(course.seeksUndeclared && schema.additional === undefined && !schema.preservesUnknown)) continue;
    path.push(fieldElement(name));
    if (part === undefined) throw new StructureFailure(path, UNDECLARED);
    visit(part, structure.is === 'struct' || structure.is === 'map' ? partOf(structure, name) : LEAF, value[name], course);
    path.pop();
  }
}

const LEAF: Structure = { is: 'leaf' };
