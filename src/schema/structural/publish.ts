import type { OpenapiSchema } from '../facets/openapi-schema.ts';
import { ownValue } from '../facets/plain-object.ts';
import type { SchemaProps } from './props.ts';

/** Members that OpenAPI v2 has too, with the same meaning. */
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
  'required',
  'externalDocs',
  'example',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
] as const satisfies readonly (keyof SchemaProps)[];

/**
 * A schema as OpenAPI v2 can say it. What that version cannot say is left out, and what clients would take amiss as well: they treat a
 * value that may be null, or may be an integer or a text, as one of any type.
 */
export function publishSchema(props: SchemaProps): OpenapiSchema {
  const said = KEPT.filter((name) => isSaid(props[name]) && !(name === 'type' && isOfAnyType(props)));
  const kept = Object.fromEntries(said.map((name) => [name, props[name]]));
  return { ...kept, ...(canHaveParts(props) ? publishParts(props) : {}) };
}

const isOfAnyType = (props: SchemaProps): boolean => props.nullable === true || props['x-kubernetes-int-or-string'] === true;

const isSaid = (value: unknown): boolean => value !== undefined && value !== '' && value !== false && !(Array.isArray(value) && value.length === 0);

/** Clients would prune what a schema that keeps the unknown does not name. */
const canHaveParts = (props: SchemaProps): boolean => props.nullable !== true && props['x-kubernetes-preserve-unknown-fields'] !== true;

function publishParts({ properties, items, additionalProperties }: SchemaProps): OpenapiSchema {
  const names = Object.keys(properties ?? {});
  return {
    ...(names.length === 0 ? {} : { properties: Object.fromEntries(names.map((name) => [name, publishSchema((ownValue(properties ?? {}, name) ?? {}) as SchemaProps)])) }),
    ...(typeof items === 'object' && !Array.isArray(items) ? { items: publishSchema(items as SchemaProps) } : {}),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: publishSchema(additionalProperties) } : {}),
  };
}
