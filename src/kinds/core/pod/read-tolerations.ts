import { isJsonObject } from '#base';
import { decode, DecodeFailure } from '#schema';
import { memberInAnyCase, readJson } from '../../read-json.ts';
import { Toleration } from './toleration.ts';

/** Reads the tolerations in an annotation, or a fault worded as in kube-apiserver. `null` is an empty list. */
export function readTolerations(text: string): { readonly tolerations: readonly Toleration[] } | { readonly fault: string } {
  const read = readJson(text, 'array', '[]v1.Toleration');
  if ('fault' in read) return read;
  try {
    return { tolerations: ((read.value ?? []) as unknown[]).map((one) => decode(Toleration.type, inAnyCase(one ?? {})) as unknown as Toleration) };
  } catch (cause) {
    if (cause instanceof DecodeFailure) return { fault: cause.wireText };
    throw cause;
  }
}

const inAnyCase = (one: unknown): unknown => (isJsonObject(one) ? Object.fromEntries([...Toleration.type.fields.keys()].map((name) => [name, memberInAnyCase(one, name)])) : one);
