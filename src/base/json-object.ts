/** A JSON object with arbitrary member names. `__proto__` and the like are ordinary names: use `memberOf` and `setMember`. */
export type JsonObject = Record<string, unknown>;

/** Whether a JSON value is an object: neither null nor a list. */
export const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A member of the object itself, never one of its prototype's. */
export const memberOf = (of: JsonObject, name: string): unknown => (Object.hasOwn(of, name) ? of[name] : undefined);

/** Sets a member of the object itself, whatever its name. */
export function setMember(of: JsonObject, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(of, name, { value, enumerable: true, configurable: true, writable: true });
  else of[name] = value;
}

/** Whether an object has no members. Members that are undefined count as absent. */
export function hasNoMembers(of: JsonObject): boolean {
  for (const name in of) if (of[name] !== undefined) return false;
  return true;
}
