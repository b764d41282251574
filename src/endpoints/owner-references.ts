import type { ApiObject } from '#api';
import { canonicalJson } from '#base';

/**
 * Keeps the first of several owner references that are the same in every part, and tells the caller. Changes `object`.
 * References that only have their uid in common all stay, for validation to look at.
 * @spec 2.2
 */
export function dropRepeatedOwners(object: ApiObject, warn: (text: string) => void): void {
  const owners = object.metadata.ownerReferences ?? [];
  if (owners.length < 2) return;
  const seen = new Set<string>();
  const repeated = new Set<string>();
  const kept = owners.filter((owner) => {
    const text = canonicalJson(owner);
    const isFirst = !seen.has(text);
    if (isFirst) seen.add(text);
    else repeated.add(owner.uid);
    return isFirst;
  });
  if (repeated.size === 0) return;
  object.metadata.ownerReferences = kept;
  warn(`metadata.ownerReferences names the same owner more than once, only the first is kept; owners named again: ${[...repeated].join(', ')}`);
}
