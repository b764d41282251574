import { isJsonObject } from '#base';
import { jsonScalar, t, type MessageClass } from '#schema';

class ExternalDocumentation extends t.message('apiextensions/v1.ExternalDocumentation', { description: t.string(1), url: t.string(2) }) {}

class ValidationRule extends t.message('apiextensions/v1.ValidationRule', { rule: t.string(1).required(), message: t.string(2) }) {}

const later = (): MessageClass<unknown> => JSONSchemaProps;

/** A schema, or a list of schemas. Any other value decodes as absent, as in kube-apiserver. */
class SchemaOrArray extends t.message(
  'apiextensions/v1.JSONSchemaPropsOrArray',
  { schema: t.lazy(1, later), schemas: t.manyLazy(2, later) },
  {
    form: {
      spread: (value) => (Array.isArray(value) ? { schemas: value } : isJsonObject(value) ? { schema: value } : {}),
      gather: ({ schema, schemas }) => schemas ?? schema ?? [],
    },
  },
) {}

/** A schema, or a boolean: whether any value is allowed. */
class SchemaOrBool extends t.message(
  'apiextensions/v1.JSONSchemaPropsOrBool',
  { allows: t.bool(1), schema: t.lazy(2, later) },
  {
    form: {
      spread: (value) => (isJsonObject(value) ? { allows: true, schema: value } : { allows: value }),
      gather: ({ allows, schema }) => schema ?? allows ?? false,
      misfit: 'boolean or JSON schema expected',
    },
  },
) {}

/** A schema, or a list of property names. */
class SchemaOrStrings extends t.message(
  'apiextensions/v1.JSONSchemaPropsOrStringArray',
  { schema: t.lazy(1, later), names: t.strings(2) },
  {
    form: {
      spread: (value) => (Array.isArray(value) ? { names: value } : isJsonObject(value) ? { schema: value } : {}),
      gather: ({ schema, names }) => schema ?? names ?? [],
    },
  },
) {}

/**
 * A JSON schema as declared. Validation restricts it further: only some of these keywords may be used. What keeps its empty form may not stand at the
 * root beside a status, not even empty.
 */
export class JSONSchemaProps extends t.message('apiextensions/v1.JSONSchemaProps', {
  id: t.string(1),
  $schema: t.string(2),
  $ref: t.maybe.string(3),
  description: t.string(4),
  type: t.string(5),
  format: t.string(6),
  title: t.string(7),
  default: t.json(8),
  maximum: t.maybe.double(9),
  exclusiveMaximum: t.bool(10),
  minimum: t.maybe.double(11),
  exclusiveMinimum: t.bool(12),
  maxLength: t.maybe.int64(13),
  minLength: t.maybe.int64(14),
  pattern: t.string(15),
  maxItems: t.maybe.int64(16),
  minItems: t.maybe.int64(17),
  uniqueItems: t.bool(18),
  multipleOf: t.maybe.double(19),
  enum: t.many(20, jsonScalar).keepEmpty(),
  maxProperties: t.maybe.int64(21),
  minProperties: t.maybe.int64(22),
  required: t.strings(23),
  items: t.perhaps(24, SchemaOrArray),
  allOf: t.manyLazy(25, later).keepEmpty(),
  oneOf: t.manyLazy(26, later).keepEmpty(),
  anyOf: t.manyLazy(27, later).keepEmpty(),
  not: t.lazy(28, later),
  properties: t.mapLazy(29, later),
  additionalProperties: t.perhaps(30, SchemaOrBool),
  patternProperties: t.mapLazy(31, later).keepEmpty(),
  dependencies: t.map(32, SchemaOrStrings).keepEmpty(),
  additionalItems: t.perhaps(33, SchemaOrBool),
  definitions: t.mapLazy(34, later).keepEmpty(),
  externalDocs: t.perhaps(35, ExternalDocumentation),
  example: t.json(36),
  nullable: t.bool(37),
  'x-kubernetes-preserve-unknown-fields': t.maybe.bool(38),
  'x-kubernetes-embedded-resource': t.bool(39),
  'x-kubernetes-int-or-string': t.bool(40),
  'x-kubernetes-list-map-keys': t.strings(41).keepEmpty(),
  'x-kubernetes-list-type': t.maybe.string(42),
  'x-kubernetes-map-type': t.maybe.string(43),
  'x-kubernetes-validations': t.many(44, ValidationRule, { map: ['rule'] }).mergeBy('rule'),
}) {}
