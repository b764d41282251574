import type { OpenapiDefinitions, OpenapiSchema } from '#schema';

/** Members whose value is a table of schemas by name. */
const TABLES: ReadonlySet<string> = new Set(['properties', 'definitions', 'patternProperties']);

/** The same definitions without what stands in for absent members: version 2 has never said it. */
export const withoutDefaults = (definitions: OpenapiDefinitions): OpenapiDefinitions => mapped(definitions, (schema) => pruned(schema) as OpenapiSchema);

function pruned(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(pruned);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([name]) => name !== 'default');
  return Object.fromEntries(kept.map(([name, value]) => [name, TABLES.has(name) && isTable(value) ? mapped(value, pruned) : pruned(value)]));
}

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null && !Array.isArray(value);

const mapped = <T, R>(table: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(table).map(([name, value]) => [name, change(value)]));
