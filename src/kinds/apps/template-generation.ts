import type { Brand, ObjectMeta } from '#api';
import { badRequest } from '#errors';
import { readCount } from './counting-annotation.ts';

interface Owner {
  metadata: ObjectMeta;
  readonly spec: { readonly template: unknown };
}

/**
 * An annotation counts the templates a DaemonSet has had. A new one starts at 1, or where the request says (it may take over for a deleted one);
 * an update raises it by one when the template changes, whatever the request says.
 */
export function setTemplateGeneration(next: Owner, live: Owner | undefined, isSameTemplate: boolean, brand: Brand): void {
  const key = brand.names.templateGenerationAnnotation;
  const before = generationOf(live ?? next, key);
  const generation = live === undefined ? (before < 1n ? 1n : before) : isSameTemplate ? before : before + 1n;
  next.metadata.annotations = { ...next.metadata.annotations, [key]: String(generation) };
}

/**
 * Every DaemonSet a client writes has the annotation, so that its writer owns it; what it counts is settled later. Throws `BadRequest` where it
 * is no number: it is part of the form of the object.
 */
export function showTemplateGeneration(object: Owner, { names }: Brand): void {
  const key = names.templateGenerationAnnotation;
  const read = readCount(object.metadata.annotations?.[key]);
  if (typeof read === 'string') throw badRequest(`DaemonSet in version "v1" cannot be handled as a DaemonSet: ${read}`);
  object.metadata.annotations = { ...object.metadata.annotations, [key]: String(read) };
}

/** Whether the template has not changed since. */
export function isSameTemplateGeneration(next: Owner, live: Owner, { names: { templateGenerationAnnotation: key } }: Brand): boolean {
  return generationOf(next, key) === generationOf(live, key);
}

function generationOf({ metadata }: Owner, key: string): bigint {
  const read = readCount(metadata.annotations?.[key]);
  return typeof read === 'string' ? 0n : read;
}
