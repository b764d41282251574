import { isJsonObject } from '#base';
import { FieldErrors } from '#errors';
import { decode, DecodeFailure, unknownFields } from '#schema';
import { memberInAnyCase, readJson } from '../../read-json.ts';
import { Toleration } from './toleration.ts';
import { validateTolerations } from './validate-tolerations.ts';

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

/** Reads the valid tolerations in a list of a configuration file. Absent and `null` are an empty list. Throws an `Error` that says where the fault is. */
export function configuredTolerations(list: unknown, where: string): readonly Toleration[] {
  if (!Array.isArray(list ?? [])) throw new Error(`${where} must be a list of tolerations`);
  const tolerations = ((list ?? []) as unknown[]).map((one, position) => configuredToleration(one, `${where}[${position}]`));
  const errors = new FieldErrors(where);
  validateTolerations(tolerations, errors);
  const [fault] = errors.causes;
  if (fault !== undefined) throw new Error(`${fault.field}: ${fault.message}`);
  return tolerations;
}

function configuredToleration(given: unknown, where: string): Toleration {
  try {
    const toleration = decode(Toleration.type, given) as unknown as Toleration;
    const [unknown] = unknownFields(Toleration.type, given as Record<string, unknown>);
    // It would change nothing, and nobody would notice.
    if (unknown !== undefined) throw new Error(`${where}.${unknown} is no member of a toleration`);
    return toleration;
  } catch (cause) {
    throw cause instanceof DecodeFailure ? new Error(`${where}${cause.path === '' ? ': ' : '.'}${cause.message}`, { cause }) : cause;
  }
}
