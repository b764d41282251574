import type { Brand, ObjectMeta } from '#api';
import { badRequest, type FieldErrors } from '#errors';
import { readCount } from './counting-annotation.ts';

interface Owner {
  readonly metadata: ObjectMeta;
}

const textOf = ({ metadata: { annotations = {} } }: Owner, key: string): string | undefined => (Object.hasOwn(annotations, key) ? annotations[key] : undefined);

/**
 * Normalizes the annotation with the revision to roll back to, which earlier versions of Deployment have as a field: the number as such a version
 * would write it; an empty one is removed. Throws `BadRequest` where it is no number, since kube-apiserver decodes it as a field.
 */
export function showRollback(object: Owner, { names: { rollbackAnnotation: key } }: Brand): void {
  const text = textOf(object, key);
  if (text === undefined) return;
  const read = text === '' ? undefined : readCount(text);
  if (typeof read === 'string') throw badRequest(`Deployment in version "v1" cannot be handled as a Deployment: failed to parse annotation[${key}]=${text} as int64: ${read}`);
  setText(object, key, read === undefined ? undefined : String(read));
}

/** Writes the revision to roll back to; undefined: none. Changes the object. */
export function setRollback(object: Owner, revision: number | bigint | undefined, { names: { rollbackAnnotation: key } }: Brand): void {
  setText(object, key, revision === undefined ? undefined : String(revision));
}

/** Keeps the annotation in status updates, as it stands for a field of the spec. Changes `next`. */
export function keepRollback(next: Owner, live: Owner | undefined, { names: { rollbackAnnotation: key } }: Brand): void {
  setText(next, key, live && textOf(live, key));
}

/** Validates the revision. `at`: the path of the former field. */
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
