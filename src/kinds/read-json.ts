import { isJsonObject, JsonSyntaxError, parseJsonText } from '#base';
import { goJsonType } from '#errors';

/** What a text holds, or why it does not hold what it should, in words that clients know. */
export type JsonReading = { readonly value: unknown } | { readonly fault: string };

/** Reads JSON inside of an annotation or a secret. `type`: what Go calls the wanted value. `null` is a value of any form. */
export function readJson(text: string, form: 'array' | 'object', type: string): JsonReading {
  try {
    const value = parseJsonText(text);
    const is = goJsonType(value);
    return is === form || is === 'null' ? { value } : { fault: `json: cannot unmarshal ${is} into Go value of type ${type}` };
  } catch (cause) {
    if (cause instanceof JsonSyntaxError) return { fault: cause.message };
    throw cause;
  }
}

/** The member of that name; where there is none, the one that differs in capitals alone. */
export function memberInAnyCase(value: unknown, name: string): unknown {
  if (!isJsonObject(value)) return undefined;
  if (Object.hasOwn(value, name)) return value[name];
  const wanted = name.toLowerCase();
  return Object.entries(value).find(([key]) => key.toLowerCase() === wanted)?.[1];
}
