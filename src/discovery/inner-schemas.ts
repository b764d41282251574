import { isJsonObject, type JsonObject } from '#base';

/** Keywords that contain subschemas, and how. */
const HOLDS: ReadonlyMap<string, 'one' | 'list' | 'table'> = new Map([
  ['items', 'one'],
  ['additionalProperties', 'one'],
  ['not', 'one'],
  ['allOf', 'list'],
  ['anyOf', 'list'],
  ['oneOf', 'list'],
  ['properties', 'table'],
]);

/** A copy of a schema with its subschemas replaced. Nothing else is visited: property names may equal keywords, and values hold anything. */
export function withInner(schema: JsonObject, change: (inner: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, changed(HOLDS.get(key), value, change)]));
}

function changed(holds: 'one' | 'list' | 'table' | undefined, value: unknown, change: (inner: unknown) => unknown): unknown {
  if (holds === 'one') return change(value);
  if (holds === 'list' && Array.isArray(value)) return value.map(change);
  if (holds !== 'table' || !isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner)]));
}
