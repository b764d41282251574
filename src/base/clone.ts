import { setMember, type JsonObject } from './json-object.ts';

/**
 * A deep copy of a plain JSON value, which may contain bigint. About ten times as fast as `structuredClone`, which handles cycles, dates and other
 * things that JSON does not have. The value must not be nested deeper than the parser allows.
 */
export function cloneJson<T>(value: T): T {
  return clone(value) as T;
}

function clone(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(clone);
  const copy: JsonObject = {};
  for (const name of Object.keys(value)) setMember(copy, name, clone((value as JsonObject)[name]));
  return copy;
}
