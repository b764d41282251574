import { isDeepEqual, memberOf } from '#base';
import type { OpenapiSchema } from '../facets/openapi-schema.ts';
import { isSchema, type SchemaProps } from './props.ts';
import { keptOf, withHead, type ObjectHead } from './publish.ts';

/**
 * Converts a schema to OpenAPI v3, which can express all of it: alternatives, what may be null, and the parts of what preserves unknown fields. `head` is
 * added to embedded objects.
 */
export function publishWhole(props: SchemaProps, head: ObjectHead): OpenapiSchema {
  const inner = (schema: SchemaProps): OpenapiSchema => publishWhole(schema, head);
  const { properties = {}, items, additionalProperties, required = [], not, nullable } = props;
  const names = Object.keys(properties);
  const published: OpenapiSchema = {
    ...keptOf(props),
    ...(nullable === true ? { nullable } : {}),
    ...(required.length === 0 ? {} : { required }),
    ...(names.length === 0 ? {} : { properties: Object.fromEntries(names.map((name) => [name, inner((memberOf(properties, name) ?? {}) as SchemaProps)])) }),
    ...(isSchema(items) ? { items: inner(items) } : {}),
    ...(isSchema(additionalProperties) ? { additionalProperties: inner(additionalProperties) } : {}),
    ...(typeof additionalProperties === 'boolean' ? { additionalProperties } : {}),
    ...Object.fromEntries(Object.entries(alternativesOf(props)).map(([name, schemas]) => [name, schemas.map(inner)])),
    ...(not === undefined ? {} : { not: inner(not) }),
  };
  return props['x-kubernetes-embedded-resource'] === true ? withHead(published, head) : published;
}

type Alternatives = Partial<Record<'allOf' | 'anyOf' | 'oneOf', readonly SchemaProps[]>>;

const INT_OR_STRING: readonly SchemaProps[] = [{ type: 'integer' }, { type: 'string' }];

/** With the two types of what is int-or-string, which a schema need not say. */
function alternativesOf({ allOf = [], anyOf = [], oneOf = [], ...props }: SchemaProps): Alternatives {
  const said = (all: readonly SchemaProps[], any: readonly SchemaProps[]): Alternatives => ({
    ...(all.length === 0 ? {} : { allOf: all }),
    ...(any.length === 0 ? {} : { anyOf: any }),
    ...(oneOf.length === 0 ? {} : { oneOf }),
  });
  if (props['x-kubernetes-int-or-string'] !== true || [anyOf, allOf[0]?.anyOf].some(areBothTypes)) return said(allOf, anyOf);
  return anyOf.length === 0 ? said(allOf, INT_OR_STRING) : said([{ anyOf: INT_OR_STRING }, ...allOf], anyOf);
}

const areBothTypes = (schemas: readonly SchemaProps[] | undefined): boolean => isDeepEqual(schemas?.map(({ type }) => type), ['integer', 'string']);
