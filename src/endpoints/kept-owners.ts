import { unreadableOwners } from '#apply';
import type { ApiObject } from '#api';

/**
 * Puts back `managedFields` as they were before mutating admission where what it made of them cannot be read, and warns the client. Changes `object`:
 * what is stored must be readable, or the next apply would know no owners.
 * @spec 4.9
 */
export function keepOwners(object: ApiObject, before: ApiObject['metadata']['managedFields'], warn: (text: string) => void): void {
  const { metadata } = object;
  if (metadata.managedFields === before) return;
  const why = unreadableOwners(metadata.managedFields);
  if (why === undefined) return;
  if (before === undefined) delete metadata.managedFields;
  else metadata.managedFields = before;
  const cause = 'this could be caused by an outdated mutating admission controller; please fix your requests';
  warn(`.metadata.managedFields was in an invalid state after admission; ${cause}: ${why}`);
}
