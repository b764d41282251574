import { stringifyJson } from '#base';
import type { ApiObject } from '#api';

/**
 * The bytes an object is kept as: JSON of the storage version, `kind`, `apiVersion` and `metadata` first so that readers find their place,
 * and without the resourceVersion, which the store knows better.
 */
export function encodeForStorage(object: ApiObject): Uint8Array {
  const { kind, apiVersion, metadata, ...body } = object;
  const { resourceVersion: _, ...kept } = metadata;
  return stringifyJson({ kind, apiVersion, metadata: kept, ...body });
}
