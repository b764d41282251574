import { isDeepEqual } from '#base';
import type { FieldErrors } from '#errors';
import { isObject, ownValue, setOwn } from '../facets/plain-object.ts';
import { additionalOf, type Structural } from './structural.ts';

/** Says where lists that are sets or maps have the same item twice. `at` stands where the value does. */
export function validateListKeys(schema: Structural, value: unknown, at: FieldErrors): void {
  if (Array.isArray(value)) {
    validateList(schema, value, at);
    if (schema.items !== undefined) for (const [position, item] of value.entries()) validateListKeys(schema.items, item, at.index(position));
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      const property = schema.properties.get(name);
      const part = property ?? additionalOf(schema);
      if (part !== undefined) validateListKeys(part, ownValue(value, name), property === undefined ? at.key(name) : at.child(name));
    }
  }
}

function validateList({ props }: Structural, value: readonly unknown[], at: FieldErrors): void {
  const listType = props['x-kubernetes-list-type'];
  if (listType === 'set') findRepeated(value, at);
  if (listType !== 'map') return;
  const keys = props['x-kubernetes-list-map-keys'] ?? [];
  for (const [position, item] of value.entries()) {
    if (!isObject(item)) at.index(position).invalid(item, 'must be an object for an array of list-type map');
  }
  if (value.every(isObject)) findRepeated(value.map((item) => keyOf(item, keys)), at);
}

function keyOf(item: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const key: Record<string, unknown> = {};
  for (const name of names) if (Object.hasOwn(item, name)) setOwn(key, name, ownValue(item, name));
  return key;
}

/** Every item that stood before is told once. Equal texts are equal items, but for the order of members, which the parser keeps. */
function findRepeated(items: readonly unknown[], at: FieldErrors): void {
  const seen = new Map<string, unknown[]>();
  for (const [position, item] of items.entries()) {
    const text = textOf(item);
    const before = seen.get(text);
    if (before === undefined) seen.set(text, [item]);
    else if (before.some((one) => isDeepEqual(one, item))) at.index(position).duplicate(item);
    else before.push(item);
  }
}

/** The same for equal values. */
function textOf(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  return `{${Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${textOf(ownValue(value, name))}`)
    .join()}}`;
}
