import { isJsonObject, JsonSyntaxError, parseJsonText } from '#base';
import { goJsonType } from '#errors';

/** The parsed value, or a fault worded as in kube-apiserver. */
export type JsonReading = { readonly value: unknown } | { readonly fault: string };

/** Parses JSON from an annotation or a secret. `type`: the Go type of the expected value. `null` is valid for both forms. */
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

/** The member of that name; without one, a member whose name differs only in case. */
export function memberInAnyCase(value: unknown, name: string): unknown {
  if (!isJsonObject(value)) return undefined;
  if (Object.hasOwn(value, name)) return value[name];
  const wanted = name.toLowerCase();
  return Object.entries(value).find(([key]) => key.toLowerCase() === wanted)?.[1];
}
