import { resourceName, type ApiResource, type ControllerEnv } from '#client';
import type { Node, Place, Seen } from './graph.ts';

/** Resources listed concurrently. */
const AT_ONCE = 4;

export interface Found extends Place {
  readonly uid: string;
  /** Whether its owner waits for it, where that goes in foreground. */
  readonly isBlocking: boolean;
}

/** The dependents in a resource that cannot be listed, as far as they were heard of; undefined: nothing was heard of it, so that nobody can say. */
export type Hearsay = (resource: ApiResource) => readonly Found[] | undefined;

/**
 * Lists the dependents of an owner from the server. A dependent missed by orphaning would be deleted, so informers, which may be stale, are asked only
 * for what cannot be listed. Rejects where nobody can say.
 */
export async function findDependents(
  { client, signal }: Pick<ControllerEnv, 'client' | 'signal'>,
  resources: readonly ApiResource[],
  owner: Seen,
  uid: string,
  hearsay: Hearsay = () => undefined,
): Promise<readonly Found[]> {
  const { namespace } = owner;
  // A cluster-scoped object cannot have a namespaced owner.
  const possible = resources.filter((resource) => namespace === '' || resource.isNamespaced);
  const list = async (resource: ApiResource): Promise<readonly Found[]> => {
    const found: Found[] = [];
    for await (const { items } of client.metadataAt(resource).pages({ namespace, signal })) {
      for (const { metadata } of items) {
        const refs = (metadata.ownerReferences ?? []).filter((ref) => ref.uid === uid);
        const isBlocking = refs.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
        if (refs.length > 0) found.push({ resource, namespace: metadata.namespace ?? '', name: metadata.name ?? '', uid: metadata.uid ?? '', isBlocking });
      }
    }
    return found;
  };
  const ask = (resource: ApiResource): Promise<readonly Found[]> =>
    list(resource).catch((cause: unknown) => {
      signal.throwIfAborted();
      const heard = hearsay(resource);
      if (heard === undefined) throw cause;
      return heard;
    });
  const found: Found[] = [];
  for (let at = 0; at < possible.length; at += AT_ONCE) found.push(...(await Promise.all(possible.slice(at, at + AT_ONCE).map(ask))).flat());
  return found;
}

/**
 * The dependents of an owner in one resource that the graph has. Whatever names an owner is in the graph, so that only what came after the last event
 * is missing, as it is in kube-controller-manager, which asks no server.
 */
export function dependentsIn(resource: ApiResource, owner: Node, { namespace }: Seen): readonly Found[] {
  const name = resourceName(resource);
  return [...owner.dependents].flatMap(({ uid, seen }) => {
    if (seen === undefined || resourceName(seen.resource) !== name || (namespace !== '' && seen.namespace !== namespace)) return [];
    const isBlocking = seen.owners.some((ref) => ref.uid === owner.uid && ref.isBlocking);
    return [{ resource, namespace: seen.namespace, name: seen.name, uid, isBlocking }];
  });
}
