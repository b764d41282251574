import { groupResourceOf, type ObjectKey } from '#api';
import { conflict, preconditionFailed, type ApiError } from '#errors';
import { publicKeyOf } from '#storage';
import type { Registry } from './registry.ts';
import { storedPlace } from './stored-place.ts';

/**
 * `Conflict`: the object is not the one that a write names by its uid or resourceVersion. `found`: what it has, empty where there is no object.
 * In the words of kube-apiserver's storage: clients match on the key and on the code of this failure.
 */
export function notThatObject({ resource, brand }: Registry, key: ObjectKey, member: 'UID' | 'ResourceVersion', wanted: string, found: string): ApiError {
  const place = publicKeyOf(brand, { ...storedPlace(resource, brand), ...key });
  const told = `StorageError: invalid object, Code: 4, Key: ${place}, ResourceVersion: 0, AdditionalErrorMsg: ${preconditionFailed(member, wanted, found)}`;
  return conflict(groupResourceOf(resource), key.name, told);
}
