import type { ApiObject } from '#api';
import { isDeepEqual } from '#base';

/**
 * Keeps the first of several owner references that are the same in every part, and tells the caller. Changes `object`.
 * References that only have their uid in common all stay, for validation to look at.
 * @spec 2.2
 */
export function dropRepeatedOwners(object: ApiObject, warn: (text: string) => void): void {
  const owners = object.metadata.ownerReferences ?? [];
  if (owners.length < 2) return;
  const kept: (typeof owners)[number][] = [];
  const repeated = new Set<string>();
  for (const owner of owners) {
    if (kept.some((one) => one.uid === owner.uid && isDeepEqual(one, owner))) repeated.add(owner.uid);
    else kept.push(owner);
  }
  if (repeated.size === 0) return;
  object.metadata.ownerReferences = kept;
  warn(`metadata.ownerReferences names the same owner more than once, only the first is kept; owners named again: ${[...repeated].join(', ')}`);
}
