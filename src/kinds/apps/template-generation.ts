import type { Brand, ObjectMeta } from '#api';
import { badRequest, goQuoted } from '#errors';

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
  const read = readGeneration(object.metadata.annotations?.[key]);
  if (typeof read === 'string') throw badRequest(`DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing ${goQuoted(object.metadata.annotations?.[key] ?? '')}: ${read}`);
  object.metadata.annotations = { ...object.metadata.annotations, [key]: String(read) };
}

function generationOf({ metadata }: Owner, key: string): bigint {
  const read = readGeneration(metadata.annotations?.[key]);
  return typeof read === 'string' ? 0n : read;
}

/** What has more digits than this is out of range, and not worth reading. */
const MOST_DIGITS = 19;

/** Absent is zero. A text says why there is no number. */
function readGeneration(text: string | undefined): bigint | string {
  if (text === undefined) return 0n;
  const digits = /^[+-]?0*(\d*)$/.exec(text)?.[1];
  if (digits === undefined || !/\d$/.test(text)) return 'invalid syntax';
  const read = digits.length > MOST_DIGITS ? undefined : BigInt(`${text.startsWith('-') ? '-' : ''}${digits === '' ? '0' : digits}`);
  return read === undefined || BigInt.asIntN(64, read) !== read ? 'value out of range' : read;
}
