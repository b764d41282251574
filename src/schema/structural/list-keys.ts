import { isJsonObject, memberOf, setMember } from '#base';
import { goUntyped, type FieldErrors } from '#errors';
import { additionalOf, type Structural } from './structural.ts';

/** Says where lists that are sets or maps have the same item twice. `at` stands where the value does. */
export function validateListKeys(schema: Structural, value: unknown, at: FieldErrors): void {
  if (Array.isArray(value)) {
    validateList(schema, value, at);
    if (schema.items !== undefined) for (const [position, item] of value.entries()) validateListKeys(schema.items, item, at.index(position));
  } else if (isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      const property = schema.properties.get(name);
      const part = property ?? additionalOf(schema);
      if (part !== undefined) validateListKeys(part, memberOf(value, name), property === undefined ? at.key(name) : at.child(name));
    }
  }
}

function validateList({ props }: Structural, value: readonly unknown[], at: FieldErrors): void {
  const listType = props['x-kubernetes-list-type'];
  if (listType === 'set') findRepeated(value, at);
  if (listType !== 'map') return;
  // Null has no keys, as an object without any.
  const stray = value.findIndex((item) => item !== null && !isJsonObject(item));
  if (stray >= 0) at.index(stray).invalid(goUntyped(value[stray]), 'must be an object for an array of list-type map');
  else findRepeated(value.map((item) => keyOf(isJsonObject(item) ? item : {}, props['x-kubernetes-list-map-keys'] ?? [])), at);
}

function keyOf(item: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const key: Record<string, unknown> = {};
  for (const name of names) if (Object.hasOwn(item, name)) setMember(key, name, memberOf(item, name));
  return key;
}

/** What stands several times is told once, where it stands the second time. */
function findRepeated(items: readonly unknown[], at: FieldErrors): void {
  const seen = new Map<string, number>();
  for (const [position, item] of items.entries()) {
    const text = textOf(item);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    if (times === 2) at.index(position).duplicate(goUntyped(item));
  }
}

/** The same for equal values. */
function textOf(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  return `{${Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${textOf(memberOf(value, name))}`)
    .join()}}`;
}
