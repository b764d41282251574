import { jsonText } from '#base';
import { encodeMessage, messageHead } from '#codec';
import type { OpenapiSchema } from '#schema';
import { mapInTurns } from './map-in-turns.ts';
import { DocumentMessage, FIELD_OF, NamedSchemas, Paths } from './openapi-v2-messages.ts';
import type { OpenapiV2 } from './openapi-v2.ts';
import { METHODS, type Operation, type Parameter, type PathItem } from './operations.ts';

/** Encodes a v2 document as protobuf, where JSON maps are lists of names and values, in as many turns of the event loop as it takes. */
export async function encodeOpenapiV2({ swagger, info, paths, definitions, security, securityDefinitions }: OpenapiV2): Promise<Uint8Array> {
  const items = await mapInTurns(paths, (item, name) => encodeMessage(Paths.type, { path: [{ name, value: toPathItem(item) }] }));
  const schemas = await mapInTurns(definitions, (schema, name) => encodeMessage(NamedSchemas.type, { additionalProperties: [{ name, value: toSchema(schema) }] }));
  const last = {
    security: security.map((requirement) => ({ additionalProperties: named(requirement, (value) => ({ value })) })),
    securityDefinitions: { additionalProperties: named(securityDefinitions, (apiKey) => ({ apiKey })) },
  };
  const first = encodeMessage(DocumentMessage.type, { swagger, info });
  return Buffer.concat([first, ...joined(FIELD_OF.paths, items), ...joined(FIELD_OF.definitions, schemas), encodeMessage(DocumentMessage.type, last)]);
}

/** One message in field `no`, whose only field repeats: what each encodes to stands in a row. */
function joined(no: number, encoded: Readonly<Record<string, Uint8Array>>): readonly Uint8Array[] {
  const pieces = Object.values(encoded);
  return [messageHead(no, pieces.reduce((sum, { length }) => sum + length, 0)), ...pieces];
}

function named<T>(members: Readonly<Record<string, T>>, convert: (member: T) => object): readonly object[] {
  return Object.entries(members).map(([name, member]) => ({ name, value: convert(member) }));
}

/** Values of any type are YAML strings in protobuf; JSON is YAML. */
const toAny = (value: unknown): object => ({ yaml: `${jsonText(value)}\n` });

function extensionsOf(of: object): { readonly extensions?: readonly object[] } {
  const found = Object.entries(of).filter(([name]) => name.startsWith('x-'));
  return found.length === 0 ? {} : { extensions: found.map(([name, value]) => ({ name, value: toAny(value) })) };
}

function toSchema(schema: OpenapiSchema): object {
  const { $ref, type, properties, items, additionalProperties, enum: values, ...same } = schema;
  return {
    ...same,
    ref: $ref,
    enum: values?.map(toAny),
    type: type === undefined ? undefined : { value: [type] },
    items: items === undefined ? undefined : { schema: [toSchema(items)] },
    properties: properties === undefined ? undefined : { additionalProperties: named(properties, toSchema) },
    additionalProperties: additionalProperties === undefined ? undefined : toAdditional(additionalProperties),
    extensions: undefined,
    ...extensionsOf(schema),
  };
}

function toAdditional(additional: OpenapiSchema | boolean): object {
  return typeof additional === 'boolean' ? { boolean: additional } : { schema: toSchema(additional) };
}

function toPathItem(item: PathItem): object {
  const operations = METHODS.flatMap((method) => (item[method] === undefined ? [] : [[method, toOperation(item[method])] as const]));
  return { ...Object.fromEntries(operations), parameters: item.parameters?.map(toParameter), ...extensionsOf(item) };
}

function toOperation(operation: Operation): object {
  const { tags, description, operationId, produces, consumes, schemes, parameters, responses } = operation;
  return {
    tags,
    description,
    operationId,
    produces,
    consumes,
    schemes,
    parameters: parameters?.map(toParameter),
    responses: {
      responseCode: named(responses, ({ description, schema }) => ({
        response: { description, schema: schema === undefined ? undefined : { schema: toSchema(schema) } },
      })),
    },
    ...extensionsOf(operation),
  };
}

function toParameter(parameter: Parameter): object {
  const { schema, ...rest } = parameter;
  if (parameter.in === 'body') return { parameter: { body: { ...rest, schema: schema === undefined ? undefined : toSchema(schema) } } };
  return { parameter: { nonBody: { [parameter.in]: rest } } };
}
