import type { Brand, ObjectMeta } from '#api';
import { badRequest, type FieldErrors } from '#errors';
import { readCount } from './counting-annotation.ts';

interface Owner {
  readonly metadata: ObjectMeta;
}

/**
 * What earlier versions of Deployment have as a field, the revision to go back to, later ones have as an annotation. Writes the number as such an
 * earlier version would, and leaves out what says nothing. Throws `BadRequest` where it is no number: it is part of the form of the object.
 */
export function showRollback({ metadata }: Owner, { names }: Brand): void {
  const key = names.rollbackAnnotation;
  const text = metadata.annotations?.[key];
  if (text === undefined) return;
  const { [key]: _, ...others } = metadata.annotations ?? {};
  if (text === '') {
    metadata.annotations = others;
    return;
  }
  const read = readCount(text);
  if (typeof read === 'string') throw badRequest(`Deployment in version "v1" cannot be handled as a Deployment: failed to parse annotation[${key}]=${text} as int64: ${read}`);
  metadata.annotations = { ...others, [key]: String(read) };
}

/** `at` stands where the field was. */
export function validateRollback({ metadata }: Owner, at: FieldErrors, { names }: Brand): void {
  const revision = readCount(metadata.annotations?.[names.rollbackAnnotation]);
  if (typeof revision !== 'string' && revision < 0n) at.child('version').invalid(revision, 'must be greater than or equal to 0');
}
