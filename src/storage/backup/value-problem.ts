import type { Entry } from '../engine.ts';

const OPEN_BRACE = '{'.charCodeAt(0);

/**
 * What is wrong with the value of an entry. Objects are looked at; what is encrypted, or written in another form, is only read.
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
