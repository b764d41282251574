import type { FieldErrors } from '#errors';
import type { SchemaProps } from '#schema';

/** A schema as it was sent: what may not be used is still in it. */
export interface DeclaredSchema extends SchemaProps {
  readonly id?: string;
  readonly $ref?: string;
  readonly additionalItems?: unknown;
  readonly patternProperties?: Readonly<Record<string, DeclaredSchema>>;
  readonly definitions?: Readonly<Record<string, DeclaredSchema>>;
  readonly dependencies?: object;
}

/** Where a schema stands, and so what may be in it. */
interface Place {
  readonly isRoot: boolean;
  /** Inside the metadata of an object. */
  readonly isInMetadata: boolean;
  /** Why there may be no default here; undefined: there may. */
  readonly noDefault: string | undefined;
}

const ROOT: Place = { isRoot: true, isInMetadata: false, noDefault: undefined };
const VALUE_TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const LIST_TYPES = ['atomic', 'set', 'map'];
const MAP_TYPES = ['atomic', 'granular'];
const HEAD: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Says what a schema uses that custom resources have not, and what contradicts itself. */
export function validateSchema(schema: DeclaredSchema, at: FieldErrors): void {
  if (schema.nullable === true) at.child('nullable').forbidden('nullable cannot be true at the root');
  visit(schema, at, ROOT);
}

function visit(schema: DeclaredSchema, at: FieldErrors, place: Place): void {
  validateUnsupported(schema, at, place);
  validateExtensions(schema, at);
  validateListType(schema, at);
  visitParts(schema, at, place);
}

function validateUnsupported(schema: DeclaredSchema, at: FieldErrors, { noDefault }: Place): void {
  if (schema.default !== undefined && noDefault !== undefined) at.child('default').forbidden(`must not be set ${noDefault}`);
  if (schema.id) at.child('id').forbidden('id is not supported');
  if (schema.$ref !== undefined) at.child('$ref').forbidden('$ref is not supported');
  if (schema.additionalItems !== undefined) at.child('additionalItems').forbidden('additionalItems is not supported');
  if (hasMembers(schema.patternProperties)) at.child('patternProperties').forbidden('patternProperties is not supported');
  if (hasMembers(schema.definitions)) at.child('definitions').forbidden('definitions is not supported');
  if (schema.dependencies !== undefined) at.child('dependencies').forbidden('dependencies is not supported');
  if (schema.uniqueItems === true) at.child('uniqueItems').forbidden('uniqueItems cannot be set to true since the runtime complexity becomes quadratic');
  if (Array.isArray(schema.items) && schema.items.length > 0) at.child('items').forbidden('items must be a schema object and not an array');
  validateType(schema.type ?? '', at.child('type'));
}

function validateType(type: string, at: FieldErrors): void {
  if (type === 'null') at.forbidden('type cannot be set to null, use nullable as an alternative');
  if (type !== '' && !VALUE_TYPES.includes(type)) at.notSupported(type, VALUE_TYPES);
}

const hasMembers = (value: object | undefined): boolean => value !== undefined && Object.keys(value).length > 0;

function validateExtensions(schema: DeclaredSchema, at: FieldErrors): void {
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    at.child('x-kubernetes-preserve-unknown-fields').invalid(false, 'must be true or undefined');
  }
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType === undefined) return;
  requireType('object', schema.type ?? '', 'x-kubernetes-map-type is specified', at);
  if (!MAP_TYPES.includes(mapType)) at.child('x-kubernetes-map-type').notSupported(mapType, MAP_TYPES);
}

function requireType(wanted: string, type: string, reason: string, at: FieldErrors): void {
  if (type === '') at.child('type').required(`must be ${wanted} if ${reason}`);
  else if (type !== wanted) at.child('type').invalid(type, `must be ${wanted} if ${reason}`);
}

function validateListType(schema: DeclaredSchema, at: FieldErrors): void {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const place = at.child('x-kubernetes-list-type');
  if (listType !== undefined) {
    requireType('array', schema.type ?? '', 'x-kubernetes-list-type is specified', at);
    if (!LIST_TYPES.includes(listType)) place.notSupported(listType, LIST_TYPES);
  }
  if (keys.length > 0 && listType === undefined) place.required('must be map if x-kubernetes-list-map-keys is non-empty');
  else if (keys.length > 0 && listType !== 'map') place.invalid(listType, 'must be map if x-kubernetes-list-map-keys is non-empty');
  if (listType === 'map') validateMapList(schema, keys, at);
  if (listType === 'set') validateSetItems(schema, at);
}

function validateMapList(schema: DeclaredSchema, keys: readonly string[], at: FieldErrors): void {
  const keysPlace = at.child('x-kubernetes-list-map-keys');
  const items = itemsOf(schema);
  if (keys.length === 0) keysPlace.required('must not be empty if x-kubernetes-list-type is map');
  if (schema.items === undefined) at.child('items').required('must have a schema if x-kubernetes-list-type is map');
  else if (items === undefined) at.child('items').invalid(schema.items, 'must only have a single schema if x-kubernetes-list-type is map');
  if (items === undefined) return;
  const place = at.child('items');
  if (items.type !== 'object') place.child('type').invalid(items.type ?? '', `must be object if parent array's x-kubernetes-list-type is map`);
  if (new Set(keys).size < keys.length) keysPlace.invalid(keys, 'must not contain duplicate entries');
  for (const key of new Set(keys)) validateMapKey(items, key, keys, keysPlace, place);
}

function validateMapKey(items: SchemaProps, key: string, keys: readonly string[], keysPlace: FieldErrors, at: FieldErrors): void {
  const property = items.properties !== undefined && Object.hasOwn(items.properties, key) ? items.properties[key] : undefined;
  if (property === undefined) {
    keysPlace.invalid(keys, 'entries must all be names of item properties');
    return;
  }
  const place = at.child('properties').key(key);
  if (property.type === 'array' || property.type === 'object') {
    place.child('type').invalid(property.type, `must be a scalar type if parent array's x-kubernetes-list-type is map`);
  }
  if (items.required?.includes(key) !== true && property.default === undefined) {
    place.child('default').required('this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property');
  }
  if (property.nullable === true) place.child('nullable').forbidden('this property is in x-kubernetes-list-map-keys, so it cannot be nullable');
}

function validateSetItems(schema: DeclaredSchema, at: FieldErrors): void {
  const items = itemsOf(schema);
  if (items === undefined) return;
  const place = at.child('items');
  if (items.nullable === true) place.child('nullable').forbidden('cannot be nullable when x-kubernetes-list-type is "set"');
  const partType = items.type === 'object' ? 'x-kubernetes-map-type' : items.type === 'array' ? 'x-kubernetes-list-type' : undefined;
  if (partType === undefined || items[partType] === 'atomic') return;
  const isOpenList = items.type === 'array' && items[partType] === undefined;
  if (!isOpenList) place.child(partType).invalid(items[partType] ?? null, `must be atomic as item of a list with x-kubernetes-list-type=set`);
}

const itemsOf = ({ items }: DeclaredSchema): SchemaProps | undefined =>
  items === undefined || Array.isArray(items) ? undefined : (items as SchemaProps);

function visitParts(schema: DeclaredSchema, at: FieldErrors, place: Place): void {
  visitProperties(schema, at, place);
  const { additionalProperties, not } = schema;
  const items = itemsOf(schema);
  const inner: Place = { ...place, isRoot: false };
  const below = (what: string): Place => (place.isInMetadata ? { ...inner, noDefault: `inside ${what} applying to object metadata` } : inner);
  if (items !== undefined) visit(items, at.child('items'), below('items'));
  if (typeof additionalProperties === 'object') visit(additionalProperties, at.child('additionalProperties'), below('additionalProperties'));
  if (not !== undefined) visit(not, at.child('not'), { ...inner, noDefault: 'inside not' });
  for (const word of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [position, part] of (schema[word] ?? []).entries()) visit(part, at.child(word).index(position), { ...inner, noDefault: `inside ${word}` });
  }
}

function visitProperties(schema: DeclaredSchema, at: FieldErrors, place: Place): void {
  const { properties, additionalProperties } = schema;
  if (!hasMembers(properties)) return;
  if (additionalProperties !== undefined && additionalProperties !== true) {
    at.child('additionalProperties').forbidden('additionalProperties and properties are mutual exclusive');
  }
  const isObject = place.isRoot || schema['x-kubernetes-embedded-resource'] === true;
  for (const [name, property] of Object.entries(properties ?? {})) {
    const isHead = isObject && HEAD.has(name);
    const noDefault = isHead && place.isRoot ? `in top-level ${name}` : place.noDefault;
    visit(property, at.child('properties').key(name), { isRoot: false, isInMetadata: place.isInMetadata || isHead, noDefault });
  }
}
