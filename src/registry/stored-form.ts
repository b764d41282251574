import { stringifyJson } from '#base';
import type { ApiObject } from '#api';

/**
 * The bytes an object is kept as: JSON of the storage version, `kind`, `apiVersion` and `metadata` first so that readers find their place,
 * and without the resourceVersion, which the store knows better.
 */
export function encodeForStorage(object: ApiObject): Uint8Array {
  const { metadata } = object;
  const hasVersion = metadata.resourceVersion !== undefined;
  if (!hasVersion && beginsWithHead(object)) return stringifyJson(object);
  const { kind, apiVersion } = object;
  // Members that are undefined are not written.
  const kept = hasVersion ? { ...metadata, resourceVersion: undefined } : metadata;
  const form: Record<string, unknown> = { ...{ kind, apiVersion, metadata }, ...object };
  form['metadata'] = kept;
  return stringifyJson(form);
}

const HEAD = ['kind', 'apiVersion', 'metadata'];

/** Objects that were decoded do. */
function beginsWithHead(object: ApiObject): boolean {
  let at = 0;
  for (const name in object) {
    if (name !== HEAD[at]) return false;
    if (++at === HEAD.length) return true;
  }
  return false;
}
