import { setMember, type JsonObject } from './json-object.ts';

/**
 * A copy of a plain JSON value that shares nothing with it; bigint is taken as it is. Some ten times as fast as `structuredClone`, which
 * looks for cycles, dates and all else that JSON has not. The value must not be nested deeper than parsing lets through.
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
