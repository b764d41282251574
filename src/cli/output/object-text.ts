import { isJsonObject, pretty, stringifyJson, type JsonObject } from '#base';
import { formatYaml } from '#codec';

export type ObjectFormat = 'json' | 'yaml';

/** A value as a JSON or YAML document, final newline included. */
export function objectText(value: unknown, format: ObjectFormat): string {
  return format === 'yaml' ? formatYaml(value) : `${Buffer.from(pretty(stringifyJson(value))).toString('utf8')}\n`;
}

/** The object without `managedFields`, which are long and rarely wanted. */
export function withoutManagedFields(object: Readonly<JsonObject>): Readonly<JsonObject> {
  if (!isJsonObject(object['metadata'])) return object;
  const { managedFields: _, ...metadata } = object['metadata'];
  return { ...object, metadata };
}
