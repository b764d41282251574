import type { Entry } from '../entry.ts';

const OPEN_BRACE = '{'.charCodeAt(0);

/**
 * What is wrong with the value of an entry; undefined: nothing. Only JSON is examined: values that are encrypted or in protobuf pass.
 */
export function valueProblem({ key, value }: Entry): string | undefined {
  if (value[0] !== OPEN_BRACE) return undefined;
  let object: { readonly metadata?: { readonly name?: unknown } };
  try {
    object = JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString()) as typeof object;
  } catch {
    return `${key}: its value is not JSON`;
  }
  return typeof object.metadata?.name === 'string' ? undefined : `${key}: its value is no object with a name`;
}
