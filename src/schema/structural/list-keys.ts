import { isJsonObject, memberOf, setMember } from '#base';
import { goUntyped, type FieldErrors } from '#errors';
import { additionalOf, type Structural } from './structural.ts';

/** Reports duplicate items of lists that are sets or maps. `at` is the path of the value. */
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
  // Null counts as an object without keys.
  const stray = value.findIndex((item) => item !== null && !isJsonObject(item));
  if (stray >= 0) at.index(stray).invalid(goUntyped(value[stray]), 'must be an object for an array of list-type map');
  const names = new Set(props['x-kubernetes-list-map-keys']);
  if (stray < 0) findRepeated(value.map((item) => keyOf(isJsonObject(item) ? item : {}, names)), at);
}

/** Takes time by what the item has: many items may have none of many keys. */
function keyOf(item: Record<string, unknown>, names: ReadonlySet<string>): Record<string, unknown> {
  const key: Record<string, unknown> = {};
  for (const name of Object.keys(item)) if (names.has(name)) setMember(key, name, memberOf(item, name));
  return key;
}

/** Reports a repeated item once, at its second occurrence. */
function findRepeated(items: readonly unknown[], at: FieldErrors): void {
  const seen = new Map<string, number>();
  for (const [position, item] of items.entries()) {
    const text = textOf(item);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    if (times === 2) at.index(position).duplicate(goUntyped(item));
  }
}

/** A text that is equal for equal values. */
function textOf(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  return `{${Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${textOf(memberOf(value, name))}`)
    .join()}}`;
}
