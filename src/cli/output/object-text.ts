import { isJsonObject, type JsonObject } from '#base';
import { formatYaml, pretty, stringifyJson } from '#codec';

export type ObjectFormat = 'json' | 'yaml';

/** A value as a whole document, its end included. */
export function objectText(value: unknown, format: ObjectFormat): string {
  return format === 'yaml' ? formatYaml(value) : `${Buffer.from(pretty(stringifyJson(value))).toString('utf8')}\n`;
}

/** Field ownership is long and rarely wanted. */
export function withoutManagedFields(object: Readonly<JsonObject>): Readonly<JsonObject> {
  if (!isJsonObject(object['metadata'])) return object;
  const { managedFields: _, ...metadata } = object['metadata'];
  return { ...object, metadata };
}
