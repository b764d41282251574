import { stringifyJson } from '#base';
import type { ApiObject } from '#api';

/**
 * The value stored for an object: JSON in the storage version, with `kind`, `apiVersion` and `metadata` first, so that the place of the resourceVersion
 * is found without parsing, and without the resourceVersion itself, which follows from the revision.
 */
export function encodeForStorage(object: ApiObject): Uint8Array {
  const { kind, apiVersion, metadata } = object;
  const hasVersion = metadata.resourceVersion !== undefined;
  const isInOrder = beginsWithHead(object);
  if (isInOrder && !hasVersion) return stringifyJson(object);
  const form: Record<string, unknown> = isInOrder ? { ...object } : { ...{ kind, apiVersion, metadata }, ...object };
  if (hasVersion) {
    const kept: Record<string, unknown> = { ...metadata };
    // `stringifyJson` leaves out members that are undefined.
    kept['resourceVersion'] = undefined;
    form['metadata'] = kept;
  }
  return stringifyJson(form);
}

const HEAD = ['kind', 'apiVersion', 'metadata'];

/** Whether the members are in the required order already, as in every decoded object. */
function beginsWithHead(object: ApiObject): boolean {
  let at = 0;
  for (const name in object) {
    if (name !== HEAD[at]) return false;
    if (++at === HEAD.length) return true;
  }
  return false;
}
