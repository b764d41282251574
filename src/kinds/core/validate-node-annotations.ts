import type { Brand } from '#api';
import { goJsonType, type FieldErrors } from '#errors';
import { memberInAnyCase, readJson, type JsonReading } from '../read-json.ts';
import type { Taint } from './node-spec.ts';

type Annotations = Readonly<Record<string, string>>;

/**
 * Validates the annotations of nodes that contain JSON: taints before there was a field, and `preferAvoidPods`. `at`: the path of the annotations;
 * the paths below it name Go types, as in kube-apiserver.
 */
export function validateNodeAnnotations(annotations: Annotations, at: FieldErrors, { names }: Brand, validateTaints: (taints: readonly Taint[], at: FieldErrors) => void): void {
  const valueOf = (key: string): string => (Object.hasOwn(annotations, key) ? (annotations[key] ?? '') : '');
  const [taints, avoided] = [`scheduler.alpha.${names.domain}/taints`, `scheduler.alpha.${names.domain}/preferAvoidPods`];
  if (valueOf(taints) !== '') {
    const read = readJson(valueOf(taints), 'array', '[]core.Taint');
    if ('fault' in read) at.invalid(taints, read.fault);
    else validateTaints(((read.value ?? []) as unknown[]).map(taintOf), at.child(taints));
  }
  if (valueOf(avoided) !== '') {
    const read = readEntries(valueOf(avoided));
    if ('fault' in read) at.child('AvoidPods').invalid(avoided, read.fault);
    else for (const [position, entry] of (read.value as unknown[]).entries()) validateEntry(entry, at.child(avoided).index(position));
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const taintOf = (value: unknown): Taint => ({
  key: textOf(memberInAnyCase(value, 'key')),
  value: textOf(memberInAnyCase(value, 'value')),
  effect: textOf(memberInAnyCase(value, 'effect')),
});

function readEntries(text: string): JsonReading {
  const read = readJson(text, 'object', 'v1.AvoidPods');
  if ('fault' in read) return read;
  const entries = memberInAnyCase(read.value, 'preferAvoidPods') ?? [];
  if (Array.isArray(entries)) return { value: entries };
  return { fault: `json: cannot unmarshal ${goJsonType(entries)} into Go struct field AvoidPods.preferAvoidPods of type []v1.PreferAvoidPodsEntry` };
}

/** An entry identifies pods by their controller. */
function validateEntry(entry: unknown, at: FieldErrors): void {
  const here = at.child('PodSignature');
  const controller = memberInAnyCase(memberInAnyCase(entry, 'podSignature'), 'podController');
  if (controller === undefined || controller === null) here.required();
  else if (memberInAnyCase(controller, 'controller') !== true) here.child('PodController', 'Controller').invalid(false, 'must point to a controller');
}
