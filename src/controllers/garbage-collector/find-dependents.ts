import type { ApiResource, Client } from '#client';
import type { Place, Seen } from './graph.ts';

/** Resources asked for at the same time. */
const AT_ONCE = 4;

export interface Found extends Place {
  readonly uid: string;
}

/**
 * What names an owner, asked of the server itself. Letting go of dependents that nobody has heard of yet would mean their end: this cannot be
 * left to informers, which may be a moment behind.
 */
export async function findDependents(client: Client, resources: readonly ApiResource[], owner: Seen, uid: string): Promise<readonly Found[]> {
  const { namespace } = owner;
  // What belongs to no namespace cannot be owned by what does.
  const possible = resources.filter((resource) => namespace === '' || resource.isNamespaced);
  const found: Found[] = [];
  const ask = async (resource: ApiResource): Promise<void> => {
    for await (const { items } of client.metadataAt(resource).pages({ namespace })) {
      for (const { metadata } of items) {
        const names = (metadata.ownerReferences ?? []).some((ref) => ref.uid === uid);
        if (names) found.push({ resource, namespace: metadata.namespace ?? '', name: metadata.name ?? '', uid: metadata.uid ?? '' });
      }
    }
  };
  for (let at = 0; at < possible.length; at += AT_ONCE) await Promise.all(possible.slice(at, at + AT_ONCE).map(ask));
  return found;
}
