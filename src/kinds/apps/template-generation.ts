import type { Brand, ObjectMeta } from '#api';
import { badRequest } from '#errors';
import { readCount } from './counting-annotation.ts';

interface Owner {
  metadata: ObjectMeta;
  readonly spec: { readonly template: unknown };
}

/**
 * Sets the annotation that counts template changes of a DaemonSet. A create starts at 1, or at the number in the request (it may take over for a
 * deleted one); an update increments it when the template changes, whatever the request contains.
 */
export function setTemplateGeneration(next: Owner, live: Owner | undefined, isSameTemplate: boolean, brand: Brand): void {
  const key = brand.names.templateGenerationAnnotation;
  const before = generationOf(live ?? next, key);
  const generation = live === undefined ? (before < 1n ? 1n : before) : isSameTemplate ? before : before + 1n;
  next.metadata.annotations = { ...next.metadata.annotations, [key]: String(generation) };
}

/**
 * Adds the annotation to every DaemonSet that a client writes, so that its field manager owns it; its value is set later. Throws `BadRequest` where
 * it is no number, since kube-apiserver decodes it as a field.
 */
export function showTemplateGeneration(object: Owner, { names }: Brand): void {
  const key = names.templateGenerationAnnotation;
  const read = readCount(object.metadata.annotations?.[key]);
  if (typeof read === 'string') throw badRequest(`DaemonSet in version "v1" cannot be handled as a DaemonSet: ${read}`);
  object.metadata.annotations = { ...object.metadata.annotations, [key]: String(read) };
}

/** Whether the template has not changed, by its generation. */
export function isSameTemplateGeneration(next: Owner, live: Owner, { names: { templateGenerationAnnotation: key } }: Brand): boolean {
  return generationOf(next, key) === generationOf(live, key);
}

function generationOf({ metadata }: Owner, key: string): bigint {
  const read = readCount(metadata.annotations?.[key]);
  return typeof read === 'string' ? 0n : read;
}
