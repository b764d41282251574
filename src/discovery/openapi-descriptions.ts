import { isJsonObject } from '#base';
import { openapiName, OBJECT_HEAD, type OpenapiDefinitions, type OpenapiSchema } from '#schema';
import type { Published } from './definitions.ts';
import { withInner } from './inner-schemas.ts';
import { mapInTurns } from './map-in-turns.ts';

/** The description of a message by its short name (`Pod`), or of one of its fields; undefined: there is none. */
export type DescribeSchema = (message: string, member?: string) => string | undefined;

/** Prefix of the API's own messages; custom resources bring their descriptions. */
const OWN = 'io.k8s.';

/** Adds descriptions to definitions. Existing ones stay. */
export function withDescriptions(definitions: OpenapiDefinitions, catalog: Published, describe: DescribeSchema): Promise<OpenapiDefinitions> {
  const declared = wordsOfKinds(catalog);
  const describeOne = (schema: OpenapiSchema, name: string): OpenapiSchema => {
    const message = name.slice(name.lastIndexOf('.') + 1);
    const words = declared.get(name);
    const isOwn = name.startsWith(OWN);
    // Fields of all objects get their descriptions here, even in custom resources.
    const about = (member: string): string | undefined => words?.[member] ?? (isOwn || OBJECT_HEAD.has(member) ? describe(message, member) : undefined);
    const inside = (inner: OpenapiSchema): OpenapiSchema => withWordsOfHeads(inner, (member) => describe(message, member)) as OpenapiSchema;
    const hasInner = !isOwn && embedsObjects(schema);
    const members = Object.entries(schema.properties ?? {}).map(([member, inner]) => [member, worded(hasInner ? inside(inner) : inner, about(member))] as const);
    const whole = worded(schema, words?.[''] ?? (isOwn ? describe(message) : undefined));
    return members.length === 0 ? whole : { ...whole, properties: Object.fromEntries(members) };
  };
  return mapInTurns(definitions, describeOne);
}

const worded = (schema: OpenapiSchema, description: string | undefined): OpenapiSchema =>
  description === undefined || schema.description !== undefined ? schema : { description, ...schema };

const isEmbedded = (schema: object): boolean => Reflect.get(schema, 'x-kubernetes-embedded-resource') === true;

/** Whether a custom resource has objects inside: most have none, and need not be copied. */
function embedsObjects(schema: OpenapiSchema | boolean | undefined): boolean {
  if (typeof schema !== 'object') return false;
  if (isEmbedded(schema) || embedsObjects(schema.items) || embedsObjects(schema.additionalProperties)) return true;
  return Object.values(schema.properties ?? {}).some(embedsObjects);
}

/** Objects inside a custom resource say of the fields of all objects what every object says. */
function withWordsOfHeads(schema: unknown, wordsOf: (member: string) => string | undefined): unknown {
  if (!isJsonObject(schema)) return schema;
  const whole = withInner(schema, (inner) => withWordsOfHeads(inner, wordsOf));
  const { properties } = whole as OpenapiSchema;
  if (!isEmbedded(whole) || properties === undefined) return whole;
  const members = Object.entries(properties).map(([member, inner]) => [member, OBJECT_HEAD.has(member) ? worded(inner, wordsOf(member)) : inner]);
  return { ...whole, properties: Object.fromEntries(members) };
}

/** Descriptions in the declarations of kinds. */
function wordsOfKinds({ resources }: Published): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const found = new Map<string, Readonly<Record<string, string>>>();
  for (const { kind, versions } of resources) if (kind.words !== undefined) for (const { schema } of versions) found.set(openapiName(schema.type.name), kind.words);
  return found;
}
