import { isJsonObject, setMember, type JsonObject } from '#base';

/** How deep a value may be nested; objects are limited to far less. */
export const MAX_DEPTH = 512;

/** A value that is nested deeper than `MAX_DEPTH`. */
export class DepthFailure extends Error {
  override readonly name = 'DepthFailure';

  constructor() {
    super(`the value is nested more than ${MAX_DEPTH} levels deep`);
  }
}

/** Whether a value is nested deeper than so many levels. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (levels < 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, levels - 1));
  return isJsonObject(value) && Object.keys(value).some((name) => isDeeperThan(value[name], levels - 1));
}

/** A deep copy of a JSON value. `depth`: how deep it will stand itself. Throws DepthFailure. */
export function copyJson<T>(value: T, depth?: number): T;
export function copyJson(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw new DepthFailure();
  if (Array.isArray(value)) return value.map((item) => copyJson(item, depth + 1));
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const name of Object.keys(value)) setMember(copy, name, copyJson(value[name], depth + 1));
  return copy;
}

/** The approximate size of a value as JSON text, in bytes. Throws DepthFailure. */
export function sizeOf(value: unknown, depth = 0): number {
  if (depth > MAX_DEPTH) throw new DepthFailure();
  if (typeof value === 'string') return value.length + 2;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + sizeOf(item, depth + 1) + 1, 2);
  if (!isJsonObject(value)) return String(value).length;
  let size = 2;
  for (const name of Object.keys(value)) size += name.length + 4 + sizeOf(value[name], depth + 1);
  return size;
}
