import { t, type MessageClass } from '#schema';

/**
 * The protobuf form of an OpenAPI v2 document, as far as this API's documents use it. Every field is optional: what is empty is not sent.
 * The form was published for tools that read such documents; names are ours, numbers are the form's.
 */

class AnyMessage extends t.message('openapi/v2.Any', { yaml: t.maybe.string(2) }) {}
class NamedAny extends t.message('openapi/v2.NamedAny', { name: t.maybe.string(1), value: t.perhaps(2, AnyMessage) }) {}

class TypeItem extends t.message('openapi/v2.TypeItem', { value: t.strings(1) }) {}
class ItemsItem extends t.message('openapi/v2.ItemsItem', { schema: t.manyLazy(1, (): MessageClass<unknown> => SchemaMessage) }) {}
class AdditionalProperties extends t.message('openapi/v2.AdditionalPropertiesItem', {
  schema: t.lazy(1, (): MessageClass<unknown> => SchemaMessage),
  boolean: t.maybe.bool(2),
}) {}
class NamedSchema extends t.message('openapi/v2.NamedSchema', {
  name: t.maybe.string(1),
  value: t.lazy(2, (): MessageClass<unknown> => SchemaMessage),
}) {}
export class NamedSchemas extends t.message('openapi/v2.NamedSchemas', { additionalProperties: t.many(1, NamedSchema) }) {}

class SchemaMessage extends t.message('openapi/v2.Schema', {
  ref: t.maybe.string(1),
  format: t.maybe.string(2),
  title: t.maybe.string(3),
  description: t.maybe.string(4),
  multipleOf: t.maybe.double(6),
  maximum: t.maybe.double(7),
  exclusiveMaximum: t.maybe.bool(8),
  minimum: t.maybe.double(9),
  exclusiveMinimum: t.maybe.bool(10),
  maxLength: t.maybe.int64(11),
  minLength: t.maybe.int64(12),
  pattern: t.maybe.string(13),
  maxItems: t.maybe.int64(14),
  minItems: t.maybe.int64(15),
  uniqueItems: t.maybe.bool(16),
  maxProperties: t.maybe.int64(17),
  minProperties: t.maybe.int64(18),
  required: t.strings(19),
  enum: t.many(20, AnyMessage),
  additionalProperties: t.perhaps(21, AdditionalProperties),
  type: t.perhaps(22, TypeItem),
  items: t.perhaps(23, ItemsItem),
  properties: t.perhaps(25, NamedSchemas),
  extensions: t.many(31, NamedAny),
}) {}

class BodyParameter extends t.message('openapi/v2.BodyParameter', {
  description: t.maybe.string(1),
  name: t.maybe.string(2),
  in: t.maybe.string(3),
  required: t.maybe.bool(4),
  schema: t.perhaps(5, SchemaMessage),
}) {}
class QueryParameter extends t.message('openapi/v2.QueryParameterSubSchema', {
  in: t.maybe.string(2),
  description: t.maybe.string(3),
  name: t.maybe.string(4),
  type: t.maybe.string(6),
  uniqueItems: t.maybe.bool(20),
}) {}
class PathParameter extends t.message('openapi/v2.PathParameterSubSchema', {
  required: t.maybe.bool(1),
  in: t.maybe.string(2),
  description: t.maybe.string(3),
  name: t.maybe.string(4),
  type: t.maybe.string(5),
  uniqueItems: t.maybe.bool(19),
}) {}
class NonBodyParameter extends t.message('openapi/v2.NonBodyParameter', { query: t.perhaps(3, QueryParameter), path: t.perhaps(4, PathParameter) }) {}
class ParameterMessage extends t.message('openapi/v2.Parameter', { body: t.perhaps(1, BodyParameter), nonBody: t.perhaps(2, NonBodyParameter) }) {}
class ParametersItem extends t.message('openapi/v2.ParametersItem', { parameter: t.perhaps(1, ParameterMessage) }) {}

class SchemaItem extends t.message('openapi/v2.SchemaItem', { schema: t.perhaps(1, SchemaMessage) }) {}
class ResponseMessage extends t.message('openapi/v2.Response', { description: t.maybe.string(1), schema: t.perhaps(2, SchemaItem) }) {}
class ResponseValue extends t.message('openapi/v2.ResponseValue', { response: t.perhaps(1, ResponseMessage) }) {}
class NamedResponse extends t.message('openapi/v2.NamedResponseValue', { name: t.maybe.string(1), value: t.perhaps(2, ResponseValue) }) {}
class Responses extends t.message('openapi/v2.Responses', { responseCode: t.many(1, NamedResponse) }) {}

class OperationMessage extends t.message('openapi/v2.Operation', {
  tags: t.strings(1),
  description: t.maybe.string(3),
  operationId: t.maybe.string(5),
  produces: t.strings(6),
  consumes: t.strings(7),
  parameters: t.many(8, ParametersItem),
  responses: t.perhaps(9, Responses),
  schemes: t.strings(10),
  extensions: t.many(13, NamedAny),
}) {}
class PathItemMessage extends t.message('openapi/v2.PathItem', {
  get: t.perhaps(2, OperationMessage),
  put: t.perhaps(3, OperationMessage),
  post: t.perhaps(4, OperationMessage),
  delete: t.perhaps(5, OperationMessage),
  options: t.perhaps(6, OperationMessage),
  head: t.perhaps(7, OperationMessage),
  patch: t.perhaps(8, OperationMessage),
  parameters: t.many(9, ParametersItem),
  extensions: t.many(10, NamedAny),
}) {}
class NamedPathItem extends t.message('openapi/v2.NamedPathItem', { name: t.maybe.string(1), value: t.perhaps(2, PathItemMessage) }) {}
export class Paths extends t.message('openapi/v2.Paths', { path: t.many(2, NamedPathItem) }) {}

class InfoMessage extends t.message('openapi/v2.Info', { title: t.maybe.string(1), version: t.maybe.string(2) }) {}
class ApiKeySecurity extends t.message('openapi/v2.ApiKeySecurity', {
  type: t.maybe.string(1),
  name: t.maybe.string(2),
  in: t.maybe.string(3),
  description: t.maybe.string(4),
}) {}
class SecurityItem extends t.message('openapi/v2.SecurityDefinitionsItem', { apiKey: t.perhaps(2, ApiKeySecurity) }) {}
class NamedSecurity extends t.message('openapi/v2.NamedSecurityDefinitionsItem', { name: t.maybe.string(1), value: t.perhaps(2, SecurityItem) }) {}
class SecurityDefinitions extends t.message('openapi/v2.SecurityDefinitions', { additionalProperties: t.many(1, NamedSecurity) }) {}
class StringArray extends t.message('openapi/v2.StringArray', { value: t.strings(1) }) {}
class NamedStringArray extends t.message('openapi/v2.NamedStringArray', { name: t.maybe.string(1), value: t.perhaps(2, StringArray) }) {}
class SecurityRequirement extends t.message('openapi/v2.SecurityRequirement', { additionalProperties: t.many(1, NamedStringArray) }) {}

/** The numbers of the long fields of a document. */
export const FIELD_OF = { paths: 8, definitions: 9 } as const;

export class DocumentMessage extends t.message('openapi/v2.Document', {
  swagger: t.maybe.string(1),
  info: t.perhaps(2, InfoMessage),
  paths: t.perhaps(FIELD_OF.paths, Paths),
  definitions: t.perhaps(FIELD_OF.definitions, NamedSchemas),
  security: t.many(12, SecurityRequirement),
  securityDefinitions: t.perhaps(13, SecurityDefinitions),
}) {}
