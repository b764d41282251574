import { openapiName, OBJECT_HEAD, type OpenapiDefinitions, type OpenapiSchema } from '#schema';
import type { Published } from './definitions.ts';
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
    const members = Object.entries(schema.properties ?? {}).map(([member, inner]) => [member, worded(inner, about(member))] as const);
    const whole = worded(schema, words?.[''] ?? (isOwn ? describe(message) : undefined));
    return members.length === 0 ? whole : { ...whole, properties: Object.fromEntries(members) };
  };
  return mapInTurns(definitions, describeOne);
}

const worded = (schema: OpenapiSchema, description: string | undefined): OpenapiSchema =>
  description === undefined || schema.description !== undefined ? schema : { description, ...schema };

/** Descriptions in the declarations of kinds. */
function wordsOfKinds({ resources }: Published): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const found = new Map<string, Readonly<Record<string, string>>>();
  for (const { kind, versions } of resources) if (kind.words !== undefined) for (const { schema } of versions) found.set(openapiName(schema.type.name), kind.words);
  return found;
}
