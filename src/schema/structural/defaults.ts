import { cloneJson, isJsonObject, jsonText, memberOf, setMember } from '#base';
import type { NullChoice } from '../field.ts';
import { additionalOf, partsOf, type Structural } from './structural.ts';

const isUnwantedNull = (schema: Structural | undefined, value: unknown): boolean => value === null && schema !== undefined && !schema.isNullable;

/** Whether the schema forbids null, by its type or its alternatives. */
const refusesNull = ({ props }: Structural): boolean =>
  Boolean(props.type) || props['x-kubernetes-int-or-string'] === true || (props.enum?.length ?? 0) > 0;

/** Removes nulls that are neither nullable nor replaced by a default, in place. */
export function dropNulls(schema: Structural, value: unknown, choice: NullChoice = {}): void {
  if (Array.isArray(value)) {
    if (schema.items !== undefined) for (const item of value) dropNulls(schema.items, item, choice);
  } else if (isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      const part = schema.properties.get(name) ?? additionalOf(schema);
      if (part === undefined) continue;
      const member = value[name];
      if (!isUnwantedNull(part, member) || part.fallback !== undefined) dropNulls(part, member, choice);
      else if (choice.keepsRefused !== true || !refusesNull(part)) Reflect.deleteProperty(value, name);
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

/**
 * Maximum size that defaults may add to one object, in bytes of JSON: as much as a request may have. Many small items multiply with a large default.
 * A larger object cannot be stored, and one stored before its schema had the default stays without the rest of the defaults.
 */
const MAX_FILLED = 3 * 1024 * 1024;

interface Course {
  left: number;
}

/** Fills in defaults for absent fields, and for nulls that are not allowed, from the outside in, up to `MAX_FILLED`. Changes `value`. */
export const fillDefaults = (schema: Structural, value: unknown): void => fill(schema, value, { left: MAX_FILLED });

function fill(schema: Structural, value: unknown, course: Course): void {
  if (typeof value !== 'object' || value === null || !hasDefaults(schema)) return;
  if (Array.isArray(value)) fillItems(schema.items, value, course);
  else fillMembers(schema, value as Record<string, unknown>, course);
}

function fillItems(items: Structural | undefined, value: unknown[], course: Course): void {
  if (items === undefined) return;
  for (let at = 0; at < value.length; at++) {
    if (course.left >= 0 && isUnwantedNull(items, value[at])) value[at] = fallbackOf(items, course);
    fill(items, value[at], course);
  }
}

const filled = new WeakMap<Structural, readonly (readonly [name: string, property: Structural])[]>();

/** The properties with a default inside: most have none. */
function filledIn(schema: Structural): readonly (readonly [name: string, property: Structural])[] {
  let properties = filled.get(schema);
  if (properties === undefined) {
    properties = [...schema.properties].filter(([, { fallback }]) => fallback !== undefined);
    filled.set(schema, properties);
  }
  return properties;
}

function fillMembers(schema: Structural, value: Record<string, unknown>, course: Course): void {
  for (const [name, property] of filledIn(schema)) {
    if (course.left < 0) break;
    if (Object.hasOwn(value, name) && !isUnwantedNull(property, memberOf(value, name))) continue;
    course.left -= name.length;
    setMember(value, name, fallbackOf(property, course));
  }
  const additional = additionalOf(schema);
  for (const name of Object.keys(value)) {
    const property = schema.properties.get(name);
    if (property === undefined && course.left >= 0 && isUnwantedNull(additional, memberOf(value, name))) setMember(value, name, fallbackOf(additional as Structural, course));
    const part = property ?? additional;
    if (part !== undefined) fill(part, memberOf(value, name), course);
  }
}

function fallbackOf(schema: Structural, course: Course): unknown {
  const { fallback } = schema;
  if (fallback === undefined) return null;
  let size = sizes.get(schema);
  if (size === undefined) sizes.set(schema, (size = jsonText(fallback).length));
  course.left -= size;
  return cloneJson(fallback);
}

/** Sizes of defaults, in bytes of JSON. */
const sizes = new WeakMap<Structural, number>();
