import { isJsonObject, memberOf } from './json-object.ts';

/** A member of a value of any type; undefined where there is none. */
export const memberIn = (value: unknown, name: string): unknown => (isJsonObject(value) ? memberOf(value, name) : undefined);

/** The text at the end of a path of members; empty where there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = path.reduce(memberIn, value);
  return typeof found === 'string' ? found : '';
}

/** The list at the end of a path of members; empty where there is none. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = path.reduce(memberIn, value);
  return Array.isArray(found) ? (found as readonly unknown[]) : [];
}

/** The strings of the list at the end of a path of members; other items are left out. */
export const textsAt = (value: unknown, ...path: readonly string[]): readonly string[] =>
  listAt(value, ...path).filter((item) => typeof item === 'string');

/** Whether a value is a list of strings. */
export const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((item) => typeof item === 'string');
