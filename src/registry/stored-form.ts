import { stringifyJson } from '#base';
import type { ApiObject } from '#api';

/**
 * The value stored for an object: JSON in the storage version, with `kind`, `apiVersion` and `metadata` first, so that the place of the resourceVersion
 * is found without parsing, and without the resourceVersion itself, which follows from the revision.
 */
export function encodeForStorage(object: ApiObject): Uint8Array {
  const { metadata } = object;
  const hasVersion = metadata.resourceVersion !== undefined;
  if (!hasVersion && beginsWithHead(object)) return stringifyJson(object);
  const { kind, apiVersion } = object;
  // `stringifyJson` leaves out members that are undefined.
  const kept = hasVersion ? { ...metadata, resourceVersion: undefined } : metadata;
  const form: Record<string, unknown> = { ...{ kind, apiVersion, metadata }, ...object };
  form['metadata'] = kept;
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
