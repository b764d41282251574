const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const RULES = 'x-kubernetes-validations';
/** Members of a schema that hold values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['default', 'enum', 'example', 'required']);
/** Members of a schema that hold schemas by name. */
const BY_NAME: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'definitions', 'dependencies']);

/** Takes the rules out of a schema that this release does not know yet. Changes `schema`. */
export function dropRules(schema: object): void {
  Reflect.deleteProperty(schema, RULES);
  for (const [name, part] of Object.entries(schema)) {
    if (VALUES.has(name)) continue;
    if (BY_NAME.has(name) && isObject(part)) visitAll(Object.values(part));
    else visitAll(Array.isArray(part) ? part : [part]);
  }
}

function visitAll(parts: readonly unknown[]): void {
  for (const part of parts) if (isObject(part)) dropRules(part);
}
