import { isDeepEqual, isJsonObject } from '#base';
import type { OpenapiDefinitions } from '#schema';
import type { OpenapiPaths } from './openapi-paths.ts';
import { definitionsFor, REFERENCE, referencesIn } from './openapi-references.ts';
import { encodeOpenapiV2 } from './openapi-v2-protobuf.ts';
import { buildOpenapiV3 } from './openapi-v3.ts';
import type { OpenapiV2 } from './openapi-v2.ts';

/** The OpenAPI document of an aggregated server, of which the paths below its prefix are merged. */
export interface OpenapiSource {
  readonly prefix: string;
  readonly document: unknown;
}

type Members = ReadonlyMap<string, unknown>;
interface Part {
  readonly paths: Members;
  readonly definitions: Members;
}

/**
 * Merges OpenAPI documents. This server's own stays unchanged; of the others come the paths below their prefix and the definitions they refer to,
 * renamed where the name has another meaning here. Invalid documents are left out.
 */
export async function mergeOpenapi(own: OpenapiV2, sources: readonly OpenapiSource[]): Promise<OpenapiV2> {
  let merged = own;
  for (const source of sources) merged = await mergeOne(merged, source);
  return merged;
}

async function mergeOne(into: OpenapiV2, source: OpenapiSource): Promise<OpenapiV2> {
  try {
    const merged = joined(into, partOf(source, into));
    // Everything in v2 JSON must also have its other forms.
    const added = { ...merged.added, swagger: into.swagger, info: into.info, security: [], securityDefinitions: {} };
    await encodeOpenapiV2(added);
    buildOpenapiV3(added, Object.entries(added.paths), new Map(Object.entries(added.definitions)));
    return merged.whole;
  } catch {
    return into;
  }
}

function partOf({ prefix, document }: OpenapiSource, into: OpenapiV2): Part {
  const { paths, definitions } = isJsonObject(document) ? document : {};
  const wanted = Object.entries(isJsonObject(paths) ? paths : {}).filter(([path]) => path.startsWith(prefix) && !Object.hasOwn(into.paths, path));
  const known = new Map(Object.entries(isJsonObject(definitions) ? definitions : {}));
  const part = { paths: new Map(wanted), definitions: definitionsFor(wanted, known) };
  requireWhole(part, into);
  return part;
}

/** Clients refuse a whole document for one path that is none, or one reference to nothing. Throws where there is one. */
function requireWhole({ paths, definitions }: Part, into: OpenapiV2): void {
  if (![...paths.values()].every(isJsonObject)) throw new Error('a path is no object');
  for (const name of referencesIn([...paths.values(), ...definitions.values()])) {
    if (!definitions.has(name) && !Object.hasOwn(into.definitions, name)) throw new Error(`there is no definition ${name}`);
  }
}

function joined(into: OpenapiV2, { paths, definitions }: Part): { readonly whole: OpenapiV2; readonly added: Pick<OpenapiV2, 'paths' | 'definitions'> } {
  const names = new Map([...definitions].map(([name, schema]) => [name, freeName(name, schema, into.definitions, definitions)]));
  const renamed = (value: unknown): unknown => withNames(value, names);
  const more = {
    paths: Object.fromEntries([...paths].map(([path, item]) => [path, renamed(item)])) as OpenapiPaths,
    definitions: Object.fromEntries([...definitions].map(([name, schema]) => [names.get(name) ?? name, renamed(schema)])) as OpenapiDefinitions,
  };
  return { added: more, whole: { ...into, paths: sorted({ ...into.paths, ...more.paths }), definitions: sorted({ ...more.definitions, ...into.definitions }) } };
}

/** The same name where it is free or has the same schema, else one with a number that the other document does not use either. */
function freeName(name: string, schema: unknown, taken: OpenapiDefinitions, theirs: Members): string {
  const isFree = (candidate: string): boolean => !Object.hasOwn(taken, candidate) || isDeepEqual(taken[candidate], schema);
  if (isFree(name)) return name;
  let number = 2;
  while (!isFree(`${name}_v${number}`) || theirs.has(`${name}_v${number}`)) number++;
  return `${name}_v${number}`;
}

function withNames(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => withNames(item, names));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, key === '$ref' && typeof member === 'string' ? renamedReference(member, names) : withNames(member, names)]));
}

function renamedReference(reference: string, names: ReadonlyMap<string, string>): string {
  if (!reference.startsWith(REFERENCE)) return reference;
  const name = reference.slice(REFERENCE.length);
  return `${REFERENCE}${names.get(name) ?? name}`;
}

const sorted = <T>(members: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
