import { FieldErrors } from '#errors';
import { OBJECT_HEAD, VALUE_TYPES, type SchemaProps } from '#schema';
import { repeatsIn } from '../repeats.ts';

/** A schema as declared, unsupported keywords included. */
export interface DeclaredSchema extends SchemaProps {
  readonly id?: string;
  readonly $schema?: string;
  readonly $ref?: string;
  readonly additionalItems?: unknown;
  readonly patternProperties?: Readonly<Record<string, DeclaredSchema>>;
  readonly definitions?: Readonly<Record<string, DeclaredSchema>>;
  readonly dependencies?: Readonly<Record<string, unknown>>;
  readonly 'x-kubernetes-validations'?: readonly unknown[];
}

/** The position of a schema, which decides what it may contain. */
interface Place {
  readonly isRoot: boolean;
  /** Whether it is inside the metadata of an object. */
  readonly isInMetadata: boolean;
  /** Why a default is forbidden here; undefined: it is allowed. */
  readonly noDefault: string | undefined;
  readonly waived: ReadonlySet<SchemaRule>;
}

const LIST_TYPES = ['atomic', 'set', 'map'];
const MAP_TYPES = ['atomic', 'granular'];

/** Reports unsupported keywords and contradictions in a schema and in those inside. */
export function validateSchema(schema: DeclaredSchema, waived: ReadonlySet<SchemaRule>, at: FieldErrors): void {
  if (schema.nullable === true) at.child('nullable').forbidden('nullable cannot be true at the root');
  visit(schema, at, { isRoot: true, isInMetadata: false, noDefault: undefined, waived });
}

/** Reports faults of a schema itself, not of those inside. */
export type SchemaRule = (schema: DeclaredSchema, at: FieldErrors) => void;

/** Rules that are younger than existing definitions: a definition that breaks one already may go on to break it. */
const LATE_RULES: readonly SchemaRule[] = [validateValueType, validateSetItems, validateIdentity];

/** The late rules that at least one of the schemas breaks. */
export function brokenRules(schemas: readonly DeclaredSchema[]): ReadonlySet<SchemaRule> {
  const broken = new Set<SchemaRule>();
  const look = (schema: DeclaredSchema): void => {
    for (const rule of LATE_RULES) {
      if (broken.has(rule)) continue;
      const at = new FieldErrors();
      rule(schema, at);
      if (!at.isEmpty) broken.add(rule);
    }
    for (const part of partsOf(schema)) look(part);
  };
  for (const schema of schemas) look(schema);
  return broken;
}

function visit(schema: DeclaredSchema, at: FieldErrors, place: Place): void {
  validateUnsupported(schema, at, place);
  visitParts(schema, at, place);
  validateExtensions(schema, at);
  validateListType(schema, at, place);
  if (!place.waived.has(validateIdentity)) validateIdentity(schema, at);
}

function validateValueType({ type = '' }: DeclaredSchema, at: FieldErrors): void {
  if (type !== '' && !VALUE_TYPES.includes(type)) at.child('type').notSupported(type, VALUE_TYPES);
}

function validateUnsupported(schema: DeclaredSchema, at: FieldErrors, { noDefault, isInMetadata, waived }: Place): void {
  if (!waived.has(validateValueType)) validateValueType(schema, at);
  if (isGiven(schema.default) && noDefault !== undefined) at.child('default').forbidden(`must not be set ${noDefault}`);
  for (const name of unsupportedIn(schema)) at.child(name).forbidden(`${name} is not supported`);
  if (schema.type === 'null') at.child('type').forbidden('type cannot be set to null, use nullable as an alternative');
  if (Array.isArray(schema.items) && schema.items.length > 0) at.child('items').forbidden('items must be a schema object and not an array');
  if (isInMetadata && schema['x-kubernetes-embedded-resource'] === true) {
    at.child('x-kubernetes-embedded-resource').forbidden('must not be used inside of resource meta');
  }
  if (schema.uniqueItems === true) at.child('uniqueItems').forbidden('uniqueItems cannot be set to true since the runtime complexity becomes quadratic');
}

/** Whether a default is given; null is none. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Keywords that say something with every value, also with an empty text or false. */
const SAID_EMPTY: ReadonlySet<string> = new Set(['$ref', 'default', 'additionalProperties', 'additionalItems', 'x-kubernetes-list-type', 'x-kubernetes-map-type']);

/** Whether a keyword says something with this value. */
export const isSaid = (name: string, value: unknown): boolean => isGiven(value) && (SAID_EMPTY.has(name) || (value !== false && value !== ''));

/** Keywords that custom resources do not support, in the order in which they are reported. */
const UNSUPPORTED: readonly (readonly [name: keyof DeclaredSchema, isThere: (schema: DeclaredSchema) => boolean])[] = [
  ['id', ({ id }) => Boolean(id)],
  ['additionalItems', ({ additionalItems }) => additionalItems !== undefined],
  ['patternProperties', ({ patternProperties }) => hasMembers(patternProperties)],
  ['definitions', ({ definitions }) => hasMembers(definitions)],
  ['dependencies', ({ dependencies }) => dependencies !== undefined],
  ['$ref', ({ $ref }) => $ref !== undefined],
];

const unsupportedIn = (schema: DeclaredSchema): readonly string[] => UNSUPPORTED.filter(([, isThere]) => isThere(schema)).map(([name]) => name);

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

function validateListType(schema: DeclaredSchema, at: FieldErrors, { waived }: Place): void {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const place = at.child('x-kubernetes-list-type');
  if (listType !== undefined) {
    requireType('array', schema.type ?? '', 'x-kubernetes-list-type is specified', at);
    if (schema.type === 'array' && !waived.has(validateSetItems)) validateSetItems(schema, at);
    if (!LIST_TYPES.includes(listType)) place.notSupported(listType, LIST_TYPES);
  }
  if (keys.length > 0 && listType === undefined) place.required('must be map if x-kubernetes-list-map-keys is non-empty');
  else if (keys.length > 0 && listType !== 'map') place.invalid(listType, 'must be map if x-kubernetes-list-map-keys is non-empty');
  if (listType === 'map') validateMapList(schema, keys, at);
}

/** Items of a set must be atomic, since they are compared as a whole. */
function validateSetItems(schema: DeclaredSchema, at: FieldErrors): void {
  if (schema['x-kubernetes-list-type'] !== 'set') return;
  const { type, 'x-kubernetes-list-type': listType, 'x-kubernetes-map-type': mapType } = itemsOf(schema) ?? {};
  const partType = type === 'array' && listType !== undefined && listType !== 'atomic' ? 'list' : type === 'object' && mapType !== 'atomic' ? 'map' : undefined;
  if (partType === undefined) return;
  // The fault shows the list type in both cases.
  at.child('items', `x-kubernetes-${partType}-type`).invalid(listType ?? 'null', 'must be atomic as item of a list with x-kubernetes-list-type=set');
}

function validateMapList(schema: DeclaredSchema, keys: readonly string[], at: FieldErrors): void {
  const keysPlace = at.child('x-kubernetes-list-map-keys');
  const place = at.child('items');
  const items = itemsOf(schema);
  if (keys.length === 0) keysPlace.required('must not be empty if x-kubernetes-list-type is map');
  if (schema.items === undefined) place.required('must have a schema if x-kubernetes-list-type is map');
  else if (items === undefined) place.invalid(schema.items, 'must only have a single schema if x-kubernetes-list-type is map');
  if (items === undefined) return;
  if (items.type !== 'object') {
    place.child('type').invalid(items.type ?? '', `must be object if parent array's x-kubernetes-list-type is map`);
    return;
  }
  const repeats = repeatsIn(keys);
  for (const [position, key] of keys.entries()) {
    const property = memberOf(items.properties, key);
    if (property === undefined) keysPlace.invalid(keys, 'entries must all be names of item properties');
    else if (property.type === 'array' || property.type === 'object') {
      place.child('properties').key(key).child('type').invalid(items.type, `must be a scalar type if parent array's x-kubernetes-list-type is map`);
    }
    if (repeats.has(position)) keysPlace.invalid(keys, 'must not contain duplicate entries');
  }
}

/** Keys of list items must be present: they are neither nullable nor optional without default. */
function validateIdentity(schema: DeclaredSchema, at: FieldErrors): void {
  const listType = schema['x-kubernetes-list-type'];
  const items = itemsOf(schema);
  if (items === undefined || (listType !== 'map' && listType !== 'set')) return;
  if (items.nullable === true) at.child('items', 'nullable').forbidden(`cannot be nullable when x-kubernetes-list-type is ${listType}`);
  if (listType === 'set') return;
  for (const key of schema['x-kubernetes-list-map-keys'] ?? []) {
    const property = memberOf(items.properties, key);
    if (property === undefined) continue;
    const place = at.child('items', 'properties').key(key);
    if (items.required?.includes(key) !== true && !isGiven(property.default)) {
      place.child('default').required('this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property');
    }
    if (property.nullable === true) place.child('nullable').forbidden('this property is in x-kubernetes-list-map-keys, so it cannot be nullable');
  }
}

const memberOf = (properties: SchemaProps['properties'], name: string): SchemaProps | undefined =>
  properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;

const itemsOf = ({ items }: DeclaredSchema): SchemaProps | undefined =>
  items === undefined || Array.isArray(items) ? undefined : (items as SchemaProps);

function visitParts(schema: DeclaredSchema, at: FieldErrors, place: Place): void {
  const inner: Place = { ...place, isRoot: false };
  const { additionalProperties, not, items } = schema;
  if (hasMembers(schema.properties) && additionalProperties !== undefined && additionalProperties !== true) {
    at.child('additionalProperties').forbidden('additionalProperties and properties are mutual exclusive');
  }
  if (typeof additionalProperties === 'object') {
    const noDefault = place.isInMetadata ? 'inside additionalProperties applying to object metadata' : place.noDefault;
    visit(additionalProperties, at.child('additionalProperties'), { ...inner, noDefault });
  }
  visitProperties(schema, at, place);
  if (not !== undefined) visit(not, at.child('not'), inner);
  for (const word of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [position, part] of (schema[word] ?? []).entries()) visit(part, at.child(word).index(position), inner);
  }
  for (const [name, part] of Object.entries(schema.definitions ?? {})) visit(part, at.child('definitions').key(name), inner);
  if (Array.isArray(items)) for (const [position, part] of items.entries()) visit(part as DeclaredSchema, at.child('items').index(position), inner);
  else if (items !== undefined) visit(items as DeclaredSchema, at.child('items'), inner);
  for (const [name, part] of Object.entries(schema.dependencies ?? {})) {
    if (typeof part === 'object' && part !== null && !Array.isArray(part)) visit(part, at.child('dependencies').key(name), inner);
  }
}

function visitProperties(schema: DeclaredSchema, at: FieldErrors, place: Place): void {
  const isObject = place.isRoot || schema['x-kubernetes-embedded-resource'] === true;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isHead = isObject && OBJECT_HEAD.has(name);
    const noDefault = isHead && place.isRoot ? `in top-level ${name}` : place.noDefault;
    visit(property, at.child('properties').key(name), { ...place, isRoot: false, isInMetadata: place.isInMetadata || isHead, noDefault });
  }
}

/** Whether a schema has a default anywhere, even where defaults are forbidden. */
export const declaresDefaults = (schema: DeclaredSchema): boolean => isGiven(schema.default) || partsOf(schema).some(declaresDefaults);

/** Whether a schema has validation rules anywhere, even where they are forbidden. */
export const declaresRules = (schema: DeclaredSchema): boolean => schema['x-kubernetes-validations'] !== undefined || partsOf(schema).some(declaresRules);

/** The extension that does not depend on structure. */
const FREE_EXTENSION = 'x-kubernetes-map-type';

/** Whether a schema uses an `x-kubernetes-` extension anywhere that depends on its structure. */
export const declaresExtensions = (schema: DeclaredSchema): boolean =>
  Object.entries(schema).some(([name, value]) => name.startsWith('x-kubernetes-') && name !== FREE_EXTENSION && isGiven(value) && value !== false) || partsOf(schema).some(declaresExtensions);

/** The keywords whose value is a subschema or a list of them, and those whose members are. */
const WITH_PARTS: ReadonlyMap<string, 'value' | 'members'> = new Map([
  ...['additionalProperties', 'additionalItems', 'items', 'not', 'allOf', 'anyOf', 'oneOf'].map((word) => [word, 'value'] as const),
  ...['properties', 'patternProperties', 'definitions', 'dependencies'].map((word) => [word, 'members'] as const),
]);

/** The direct subschemas of a schema. There may be ten thousand schemas in one, most of them without parts: only keywords that are there are looked at. */
export function partsOf(schema: DeclaredSchema): readonly DeclaredSchema[] {
  const parts: DeclaredSchema[] = [];
  const add = (value: unknown): void => {
    if (Array.isArray(value)) for (const part of value) add(part);
    else if (typeof value === 'object' && value !== null) parts.push(value);
  };
  for (const word of Object.keys(schema)) {
    const place = WITH_PARTS.get(word);
    if (place === undefined) continue;
    const value = schema[word as keyof DeclaredSchema];
    if (place === 'value') add(value);
    else for (const member of Object.values(value ?? {})) add(member);
  }
  return parts;
}

/** Whether a schema uses only keywords of structural schemas. `validateSchema` reports all others except `$schema`. */
export function saysOnlyStructure(schema: DeclaredSchema): boolean {
  if (unsupportedIn(schema).some((name) => name !== '$ref' || schema.$ref !== '') || schema.$schema) return false;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false || (Array.isArray(schema.items) && schema.items.length > 0)) return false;
  return partsOf(schema).every(saysOnlyStructure);
}
