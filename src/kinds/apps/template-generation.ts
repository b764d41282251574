import type { Brand, ObjectMeta } from '#api';

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

/** Every DaemonSet a client writes has the annotation, so that its writer owns it; what it counts is settled later. */
export function showTemplateGeneration(object: Owner, { names }: Brand): void {
  const key = names.templateGenerationAnnotation;
  object.metadata.annotations = { ...object.metadata.annotations, [key]: String(generationOf(object, key)) };
}

function generationOf({ metadata }: Owner, key: string): bigint {
  const text = metadata.annotations?.[key] ?? '';
  return /^[+-]?\d{1,18}$/.test(text) ? BigInt(text.replace('+', '')) : 0n;
}
