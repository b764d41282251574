import type { Brand, ObjectMeta } from '#api';
import { badRequest, type FieldErrors } from '#errors';
import { readCount } from './counting-annotation.ts';

interface Owner {
  readonly metadata: ObjectMeta;
}

const textOf = ({ metadata: { annotations = {} } }: Owner, key: string): string | undefined => (Object.hasOwn(annotations, key) ? annotations[key] : undefined);

/**
 * What earlier versions of Deployment have as a field, the revision to go back to, later ones have as an annotation. Writes the number as such an
 * earlier version would, and leaves out what says nothing. Throws `BadRequest` where it is no number: it is part of the form of the object.
 */
export function showRollback(object: Owner, { names: { rollbackAnnotation: key } }: Brand): void {
  const text = textOf(object, key);
  if (text === undefined) return;
  const read = text === '' ? undefined : readCount(text);
  if (typeof read === 'string') throw badRequest(`Deployment in version "v1" cannot be handled as a Deployment: failed to parse annotation[${key}]=${text} as int64: ${read}`);
  setText(object, key, read === undefined ? undefined : String(read));
}

/** As all of a spec, it is not for those who write the status. Changes `next`. */
export function keepRollback(next: Owner, live: Owner | undefined, { names: { rollbackAnnotation: key } }: Brand): void {
  setText(next, key, live && textOf(live, key));
}

/** `at` stands where the field was. */
export function validateRollback(object: Owner, at: FieldErrors, { names: { rollbackAnnotation: key } }: Brand): void {
  const revision = readCount(textOf(object, key));
  if (typeof revision !== 'string' && revision < 0n) at.child('version').invalid(revision, 'must be greater than or equal to 0');
}

function setText({ metadata }: Owner, key: string, text: string | undefined): void {
  const { [key]: _, ...others } = metadata.annotations ?? {};
  if (text !== undefined) metadata.annotations = { ...metadata.annotations, [key]: text };
  else if (Object.keys(others).length > 0) metadata.annotations = others;
  else delete metadata.annotations;
}
