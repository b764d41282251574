import { compareUtf8, isDeepEqual } from '#base';
import { FieldErrors } from '#errors';
import { faultOfPattern, sizeOfPattern, type SchemaProps } from '#schema';
import { isSaid, type DeclaredSchema } from './validate-schema.ts';

/**
 * Reports where a schema is not structural: where the type of a value is specified only inside `allOf`, `anyOf`, `oneOf` or `not`. Returns whether it
 * is structural. Faults are sorted by their text.
 */
export function validateStructure(schema: SchemaProps, at: FieldErrors): boolean {
  const found = new FieldErrors(at.path);
  visit(schema, 'root', found, new Patterns());
  validateCompleteness(schema, found);
  const told = found.causes.map((cause) => [`${cause.field ?? ''}: ${cause.message ?? ''}`, cause] as const);
  at.causes.push(...told.sort(([a], [b]) => compareUtf8(a, b)).map(([, cause]) => cause));
  return found.isEmpty;
}

/** Limit for the patterns of one schema together, in compiled instructions. */
const MAX_PATTERNS = 200_000;

/** Checks the patterns of one schema and limits their total size: compiling one takes time and memory, however short it is. */
class Patterns {
  readonly #met = new Set<string>();
  #size = 0;

  faultOf(pattern: string): string | undefined {
    if (!this.#met.has(pattern)) this.#size += sizeOfPattern(pattern);
    this.#met.add(pattern);
    return this.#size > MAX_PATTERNS ? 'the patterns of the schema are too large together' : faultOfPattern(pattern);
  }
}

type Level = 'root' | 'item' | 'member';

const WHERE: Readonly<Record<Level, string>> = {
  root: 'at the root',
  item: 'for specified array items',
  member: 'for specified object fields',
};

function visit(schema: SchemaProps, level: Level, at: FieldErrors, patterns: Patterns): void {
  visitParts(schema, level, at, patterns);
  validateExtensions(schema, at);
  validateOwnType(schema, level, at);
  validateEmbedded(schema, at);
  if (level === 'root' || isEmbedded(schema)) validateHead(schema, level, at);
  visitRules(schema, { skipAnyOf: isIntOrString(schema.anyOf), skipFirstAllOf: isIntOrString(schema.allOf?.[0]?.anyOf) }, at, patterns);
}

const isEmbedded = (schema: SchemaProps): boolean => schema['x-kubernetes-embedded-resource'] === true;
const keepsUnknown = (schema: SchemaProps): boolean => schema['x-kubernetes-preserve-unknown-fields'] === true;

function itemsOf({ items }: SchemaProps): SchemaProps | undefined {
  return items === undefined || Array.isArray(items) ? undefined : (items as SchemaProps);
}

function visitParts(schema: SchemaProps, level: Level, at: FieldErrors, patterns: Patterns): void {
  const items = itemsOf(schema);
  if (schema.type === 'array' && items === undefined) at.child('items').required('must be specified');
  if (items !== undefined) visit(items, 'item', at.child('items'), patterns);
  for (const [name, property] of Object.entries(schema.properties ?? {})) visit(property, 'member', at.child('properties').key(name), patterns);
  const { additionalProperties } = schema;
  if (additionalProperties === undefined) return;
  if (level === 'root') at.child('additionalProperties').forbidden('must not be used at the root');
  if (typeof additionalProperties === 'object') visit(additionalProperties, 'member', at.child('additionalProperties'), patterns);
}

function validateExtensions(schema: SchemaProps, at: FieldErrors): void {
  if (schema['x-kubernetes-int-or-string'] !== true) return;
  for (const other of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const) {
    if (schema[other] === true) at.child(other).invalid(true, 'must be false if x-kubernetes-int-or-string is true');
  }
}

function validateOwnType(schema: SchemaProps, level: Level, at: FieldErrors): void {
  const { type = '' } = schema;
  const place = at.child('type');
  if (isEmbedded(schema) && type !== 'object') {
    if (type === '') place.required('must be object if x-kubernetes-embedded-resource is true');
    else place.invalid(type, 'must be object if x-kubernetes-embedded-resource is true');
  } else if (type === '' && schema['x-kubernetes-int-or-string'] !== true && !keepsUnknown(schema)) {
    place.required(`must not be empty ${WHERE[level]}`);
  }
  if (level === 'root' && type !== '' && type !== 'object') place.invalid(type, 'must be object at the root');
}

function validateEmbedded(schema: SchemaProps, at: FieldErrors): void {
  if (!isEmbedded(schema)) return;
  if (schema.additionalProperties !== undefined) {
    at.child('additionalProperties').forbidden('must not be used if x-kubernetes-embedded-resource is set');
  }
  if (!keepsUnknown(schema) && Object.keys(schema.properties ?? {}).length === 0) {
    at.child('properties').required('must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields');
  }
}

/** Type and metadata of an object are fixed; only its name may be restricted. */
function validateHead(schema: SchemaProps, level: Level, at: FieldErrors): void {
  const properties = schema.properties ?? {};
  const place = at.child('properties');
  for (const name of ['kind', 'apiVersion']) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property !== undefined && property.type !== 'string') place.key(name).child('type').invalid(property.type ?? '', 'must be string');
  }
  const metadata = Object.hasOwn(properties, 'metadata') ? properties['metadata'] : undefined;
  if (metadata === undefined) return;
  if (metadata.type !== 'object') place.key('metadata').child('type').invalid(metadata.type ?? '', 'must be object');
  if (level === 'root' && !restrictsNamesOnly(metadata)) {
    place.key('metadata').forbidden('must not specify anything other than name and generateName, but metadata is implicitly specified');
  }
}

function restrictsNamesOnly({ type: _type, default: _default, externalDocs: _docs, example: _example, properties, ...rest }: SchemaProps): boolean {
  return Object.keys(properties ?? {}).every((name) => name === 'name' || name === 'generateName') && Object.keys(rest).length === 0;
}

/** Whether this is the only `anyOf` that may specify types: integer or string. */
function isIntOrString(anyOf: readonly SchemaProps[] | undefined): boolean {
  return isDeepEqual(anyOf?.map(({ externalDocs: _docs, example: _example, ...rest }) => rest), [{ type: 'integer' }, { type: 'string' }]);
}

interface Skips {
  readonly skipAnyOf?: boolean;
  readonly skipFirstAllOf?: boolean;
}

function visitRules(schema: SchemaProps, { skipAnyOf = false, skipFirstAllOf = false }: Skips, at: FieldErrors, patterns: Patterns): void {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern = '' } = schema;
  if (!skipAnyOf) for (const [position, one] of anyOf.entries()) visitNested(one, {}, at.child('anyOf').index(position), patterns);
  for (const [position, one] of allOf.entries()) {
    visitNested(one, { skipAnyOf: skipFirstAllOf && position === 0 }, at.child('allOf').index(position), patterns);
  }
  for (const [position, one] of oneOf.entries()) visitNested(one, {}, at.child('oneOf').index(position), patterns);
  if (not !== undefined) visitNested(not, {}, at.child('not'), patterns);
  const fault = pattern === '' ? undefined : patterns.faultOf(pattern);
  if (fault !== undefined) at.child('pattern').invalid(pattern, `must be a valid regular expression, but isn't: ${fault}`);
}

/** Keywords that specify a value, and are therefore forbidden inside value validations: name, and how kube-apiserver words it. */
const FORBIDDEN: readonly (readonly [keyof DeclaredSchema, must: string])[] = [
  ['type', 'be empty'],
  ['additionalProperties', 'be undefined'],
  ['default', 'be undefined'],
  ['title', 'be empty'],
  ['description', 'be empty'],
  ['nullable', 'be false'],
  ['x-kubernetes-preserve-unknown-fields', 'be false'],
  ['x-kubernetes-embedded-resource', 'be false'],
  ['x-kubernetes-int-or-string', 'be false'],
  ['x-kubernetes-list-map-keys', 'be empty'],
  ['x-kubernetes-list-type', 'be undefined'],
  ['x-kubernetes-map-type', 'be undefined'],
  ['x-kubernetes-validations', 'be empty'],
];

function visitNested(schema: DeclaredSchema, skips: Skips, at: FieldErrors, patterns: Patterns): void {
  visitRules(schema, skips, at, patterns);
  const items = itemsOf(schema);
  if (items !== undefined) visitNested(items, {}, at.child('items'), patterns);
  for (const [name, property] of Object.entries(schema.properties ?? {})) visitNested(property, {}, at.child('properties').key(name), patterns);
  for (const [name, must] of FORBIDDEN) {
    if (isSaid(name, schema[name])) at.child(name).forbidden(`must ${must} to be structural`);
  }
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, 'metadata')) {
    at.child('properties').key('metadata').forbidden('must not be specified in a nested context');
  }
}

/** Fields in value validations of the root must also be specified outside of them; nested validations may name fields that are pruned. */
function validateCompleteness(schema: SchemaProps, at: FieldErrors): void {
  for (const [judged, place] of judgements(schema, at)) compare(schema, judged, at, place);
}

function judgements(schema: SchemaProps, at: FieldErrors): readonly (readonly [SchemaProps, FieldErrors])[] {
  const lists = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((word) =>
    (schema[word] ?? []).map((one, position) => [one, at.child(word).index(position)] as const),
  );
  return schema.not === undefined ? lists : [...lists, [schema.not, at.child('not')]];
}

function compare(told: SchemaProps | undefined, judged: SchemaProps, at: FieldErrors, place: FieldErrors): void {
  if (told === undefined) {
    at.required(`because it is defined in ${place.path}`);
    return;
  }
  const items = itemsOf(judged);
  if (items !== undefined) compare(itemsOf(told), items, at.child('items'), place.child('items'));
  for (const [name, property] of Object.entries(judged.properties ?? {})) {
    const known = told.properties !== undefined && Object.hasOwn(told.properties, name) ? told.properties[name] : undefined;
    compare(known, property, at.child('properties').key(name), place.child('properties').key(name));
  }
  for (const [inner, innerPlace] of judgements(judged, place)) compare(told, inner, at, innerPlace);
}
