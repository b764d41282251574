import { memberOf } from '#base';
import type { OpenapiSchema } from '../facets/openapi-schema.ts';
import { isSchema, VALUE_TYPES, type SchemaProps } from './props.ts';
import { partsOf, type Structural } from './structural.ts';

/** Keywords that every version of OpenAPI has, with the same meaning. */
const KEPT = [
  'type',
  'format',
  'title',
  'description',
  'default',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'multipleOf',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'maxProperties',
  'minProperties',
  'enum',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
] as const satisfies readonly (keyof SchemaProps)[];

/** Whether a schema has a type anywhere that there is not, as definitions once might: clients refuse a whole document for it. */
export const hasOddTypes = (schema: Structural): boolean => (schema.props.type ? !VALUE_TYPES.includes(schema.props.type) : false) || partsOf(schema).some(hasOddTypes);

/** The properties that every object has besides its schema: apiVersion, kind and metadata. */
export type ObjectHead = Readonly<Record<string, OpenapiSchema>>;

/**
 * Converts a schema to OpenAPI v2. What that version cannot express is left out, and so is what would mislead clients: fields that are nullable or
 * preserve unknown fields are published without type and parts, which clients take for a value of any type. `head` is added to embedded objects.
 */
export function publishSchema(props: SchemaProps, head: ObjectHead): OpenapiSchema {
  const { type, ...kept } = keptOf(props);
  const required = requiredOf(props);
  const published: OpenapiSchema = {
    ...(type === undefined || isOfAnyType(props) ? {} : { type }),
    ...kept,
    ...(required.length === 0 ? {} : { required }),
    ...(canHaveParts(props) ? publishParts(props, head) : {}),
    ...(isSchema(props.additionalProperties) ? { additionalProperties: publishSchema(props.additionalProperties, head) } : {}),
    ...(typeof props.additionalProperties === 'boolean' ? { additionalProperties: props.additionalProperties } : {}),
  };
  return props['x-kubernetes-embedded-resource'] === true && !keepsUnknown(props) ? withHead(published, head) : published;
}

/** What a schema says in keywords that mean the same in every version. A default says something whatever it is. */
export const keptOf = (props: SchemaProps): Pick<SchemaProps, (typeof KEPT)[number]> =>
  Object.fromEntries(KEPT.filter((name) => (name === 'default' ? props.default !== undefined : isSaid(props[name]))).map((name) => [name, props[name]]));

const isSaid = (value: unknown): boolean => value !== undefined && value !== '' && value !== false && !(Array.isArray(value) && value.length === 0);

const keepsUnknown = (props: SchemaProps): boolean => props['x-kubernetes-preserve-unknown-fields'] === true;

const isOfAnyType = (props: SchemaProps): boolean =>
  props.nullable === true || (keepsUnknown(props) ? isOfParts(props) : props.type === 'array' && !isSchema(props.items));

const isOfParts = ({ type }: SchemaProps): boolean => type === 'object' || type === 'array';

const canHaveParts = (props: SchemaProps): boolean => props.nullable !== true && !keepsUnknown(props);

/** Required properties without nullable ones, whose null clients would reject. */
function requiredOf(props: SchemaProps): readonly string[] {
  const { required = [], properties = {}, additionalProperties } = props;
  if (isSchema(additionalProperties) && additionalProperties.nullable === true) return [];
  if (!canHaveParts(props)) return required;
  return required.filter((name) => (memberOf(properties, name) as SchemaProps | undefined)?.nullable !== true);
}

function publishParts({ properties = {}, items }: SchemaProps, head: ObjectHead): OpenapiSchema {
  const names = Object.keys(properties);
  return {
    ...(names.length === 0 ? {} : { properties: Object.fromEntries(names.map((name) => [name, publishSchema((memberOf(properties, name) ?? {}) as SchemaProps, head)])) }),
    ...(isSchema(items) ? { items: publishSchema(items, head) } : {}),
  };
}

/** An object inside: `head` is part of it. */
export const withHead = (published: OpenapiSchema, head: ObjectHead): OpenapiSchema => ({
  ...published,
  required: [...new Set([...(published.required ?? []), 'kind', 'apiVersion'])],
  properties: { ...published.properties, ...head },
});
