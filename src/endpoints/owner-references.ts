import type { ApiObject } from '#api';

/**
 * Keeps the first of several owner references to the same owner, and tells the caller. Changes `object`.
 * @spec 2.2
 */
export function dropRepeatedOwners(object: ApiObject, warn: (text: string) => void): void {
  const owners = object.metadata.ownerReferences ?? [];
  if (owners.length < 2) return;
  const seen = new Set<string>();
  const repeated = new Set<string>();
  const kept = owners.filter(({ uid }) => {
    const isFirst = !seen.has(uid);
    (isFirst ? seen : repeated).add(uid);
    return isFirst;
  });
  if (repeated.size === 0) return;
  object.metadata.ownerReferences = kept;
  warn(`metadata.ownerReferences names the same owner more than once, only the first is kept; owners named again: ${[...repeated].join(', ')}`);
}
