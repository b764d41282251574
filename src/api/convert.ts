import type { ServedVersion } from './catalog.ts';
import type { ApiObject } from './object.ts';

/** An object of the storage version in a served one. Changes `object`. */
export function toServedVersion({ down, apiVersion }: Pick<ServedVersion, 'down' | 'apiVersion'>, object: ApiObject): ApiObject {
  const lowered = down?.(object) ?? object;
  lowered.apiVersion = apiVersion;
  return lowered;
}

/** An object of one version of a kind in its storage version, which is spelled `storage`. Changes `object`. */
export function toStorageVersion({ up }: { readonly up?: ServedVersion['up'] | undefined }, storage: string, object: ApiObject): ApiObject {
  const lifted = up?.(object) ?? object;
  lifted.apiVersion = storage;
  return lifted;
}
