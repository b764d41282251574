import { isJsonObject, type JsonObject } from '#base';

/** What stands at a member of a schema that holds others. */
const HOLDS: ReadonlyMap<string, 'one' | 'list' | 'table'> = new Map([
  ['items', 'one'],
  ['additionalProperties', 'one'],
  ['not', 'one'],
  ['allOf', 'list'],
  ['anyOf', 'list'],
  ['oneOf', 'list'],
  ['properties', 'table'],
]);

/** A schema with the schemas inside it changed. Nothing else is looked into: a property may be called as members are, and values hold anything. */
export function withInner(schema: JsonObject, change: (inner: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, changed(HOLDS.get(key), value, change)]));
}

function changed(holds: 'one' | 'list' | 'table' | undefined, value: unknown, change: (inner: unknown) => unknown): unknown {
  if (holds === 'one') return change(value);
  if (holds === 'list' && Array.isArray(value)) return value.map(change);
  if (holds !== 'table' || !isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner)]));
}
