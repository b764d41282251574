import type { ApiResource, Client } from '#client';
import type { Place, Seen } from './graph.ts';

/** Resources listed concurrently. */
const AT_ONCE = 4;

export interface Found extends Place {
  readonly uid: string;
  /** Whether its owner waits for it, where that goes in foreground. */
  readonly isBlocking: boolean;
}

/**
 * Lists the dependents of an owner from the server. A dependent missed by orphaning would be deleted, so informers, which may be stale, are not
 * enough.
 */
export async function findDependents(client: Client, resources: readonly ApiResource[], owner: Seen, uid: string): Promise<readonly Found[]> {
  const { namespace } = owner;
  // A cluster-scoped object cannot have a namespaced owner.
  const possible = resources.filter((resource) => namespace === '' || resource.isNamespaced);
  const found: Found[] = [];
  const ask = async (resource: ApiResource): Promise<void> => {
    for await (const { items } of client.metadataAt(resource).pages({ namespace })) {
      for (const { metadata } of items) {
        const refs = (metadata.ownerReferences ?? []).filter((ref) => ref.uid === uid);
        const isBlocking = refs.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
        if (refs.length > 0) found.push({ resource, namespace: metadata.namespace ?? '', name: metadata.name ?? '', uid: metadata.uid ?? '', isBlocking });
      }
    }
  };
  for (let at = 0; at < possible.length; at += AT_ONCE) await Promise.all(possible.slice(at, at + AT_ONCE).map(ask));
  return found;
}
