import { cloneJson, isJsonObject, memberOf, setMember } from '#base';
import { additionalOf, partsOf, type Structural } from './structural.ts';

const isUnwantedNull = (schema: Structural | undefined, value: unknown): boolean => value === null && schema !== undefined && !schema.isNullable;

/** Whether null is refused there: a type or a choice does not take it. */
const refusesNull = ({ props }: Structural): boolean =>
  Boolean(props.type) || props['x-kubernetes-int-or-string'] === true || (props.enum?.length ?? 0) > 0;

/**
 * Removes nulls where the schema has neither room for null nor a default that takes its place. `keepsRefused`: but not those that the schema
 * refuses, which are left to be told. Changes `value`.
 */
export function dropNulls(schema: Structural, value: unknown, keepsRefused = false): void {
  if (Array.isArray(value)) {
    if (schema.items !== undefined) for (const item of value) dropNulls(schema.items, item, keepsRefused);
  } else if (isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      const part = schema.properties.get(name) ?? additionalOf(schema);
      if (part === undefined) continue;
      const member = value[name];
      if (!isUnwantedNull(part, member) || part.fallback !== undefined) dropNulls(part, member, keepsRefused);
      else if (!keepsRefused || !refusesNull(part)) Reflect.deleteProperty(value, name);
    }
  }
}

const knownDefaults = new WeakMap<Structural, boolean>();

/** Whether there is a default anywhere inside. */
export function hasDefaults(schema: Structural): boolean {
  let known = knownDefaults.get(schema);
  if (known === undefined) {
    known = schema.fallback !== undefined || partsOf(schema).some(hasDefaults);
    knownDefaults.set(schema, known);
  }
  return known;
}

/** Fills what is absent, or null where null has no place, from the outside in. Changes `value`. */
export function fillDefaults(schema: Structural, value: unknown): void {
  if (typeof value !== 'object' || value === null || !hasDefaults(schema)) return;
  if (Array.isArray(value)) fillItems(schema.items, value);
  else fillMembers(schema, value as Record<string, unknown>);
}

function fillItems(items: Structural | undefined, value: unknown[]): void {
  if (items === undefined) return;
  for (let at = 0; at < value.length; at++) {
    if (isUnwantedNull(items, value[at])) value[at] = fallbackOf(items);
    fillDefaults(items, value[at]);
  }
}

function fillMembers(schema: Structural, value: Record<string, unknown>): void {
  for (const [name, property] of schema.properties) {
    if (property.fallback === undefined) continue;
    if (!Object.hasOwn(value, name) || isUnwantedNull(property, memberOf(value, name))) setMember(value, name, fallbackOf(property));
  }
  const additional = additionalOf(schema);
  for (const name of Object.keys(value)) {
    const property = schema.properties.get(name);
    if (property === undefined && isUnwantedNull(additional, memberOf(value, name))) setMember(value, name, fallbackOf(additional as Structural));
    const part = property ?? additional;
    if (part !== undefined) fillDefaults(part, memberOf(value, name));
  }
}

const fallbackOf = ({ fallback }: Structural): unknown => (fallback === undefined ? null : cloneJson(fallback));
