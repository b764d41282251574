import { isJsonObject } from '#base';

const RULES = 'x-kubernetes-validations';
/** Keywords that hold subschemas by name, and those that hold one or several; value validations such as `allOf` are excluded. */
const BY_NAME: ReadonlySet<string> = new Set(['properties', 'dependencies']);
const WITHIN: ReadonlySet<string> = new Set(['additionalProperties', 'items']);

/** Removes validation rules, which 1.23 does not enforce yet. Changes `schema`. */
export function dropRules(schema: object): void {
  Reflect.deleteProperty(schema, RULES);
  for (const [name, part] of Object.entries(schema)) {
    if (BY_NAME.has(name) && isJsonObject(part)) visitAll(Object.values(part));
    else if (WITHIN.has(name)) visitAll(Array.isArray(part) ? part : [part]);
  }
}

function visitAll(parts: readonly unknown[]): void {
  for (const part of parts) if (isJsonObject(part)) dropRules(part);
}
