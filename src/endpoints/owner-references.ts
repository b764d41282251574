import type { ApiObject } from '#api';
import { canonicalJson } from '#base';

/**
 * Keeps the first of several owner references that are equal in every field, and warns the client. Changes `object`. `state`: as it was sent, or as
 * mutating admission left it, for which the warning is worded differently. References that have only their uid in common all stay; validation judges
 * them.
 * @spec 2.2
 */
export function dropRepeatedOwners(object: ApiObject, state: 'sent' | 'admitted', warn: (text: string) => void): void {
  const owners = object.metadata.ownerReferences ?? [];
  if (owners.length < 2) return;
  const seen = new Set<string>();
  const repeated: string[] = [];
  const kept = owners.filter((owner) => {
    const text = canonicalJson(owner);
    const isFirst = !seen.has(text);
    if (isFirst) seen.add(text);
    else repeated.push(owner.uid);
    return isFirst;
  });
  if (repeated.length === 0) return;
  object.metadata.ownerReferences = kept;
  const when = state === 'admitted' ? ' after mutating admission happens' : '';
  const what = `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+`;
  warn(`${what}, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`);
}
