import { ApiError, expiredList } from '#errors';
import { encodeContinueToken } from '#registry';
import type { VerbContext } from './verb-context.ts';

/**
 * Runs work that reads a page of a list. Where the list began at a revision that has been compacted, it throws `Expired` with a continue token for
 * the rest of the list at the latest revision: pages are no longer consistent then, but no object is missed. `from`: the key at which the page
 * begins; undefined: the first page, which has nothing to continue. Throws what the work throws.
 * @spec 4.4
 */
export async function offeringRestOfList<T>({ registry, route }: VerbContext, from: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (from === undefined || !(cause instanceof ApiError) || cause.reason !== 'Expired') throw cause;
    const prefix = registry.prefixOf(route.key.namespace);
    const token = encodeContinueToken({ revision: -1, from, prefix });
    throw expiredList(`${cause.message}; start again without continue, or read the rest in its newest state with the token in this answer`, token);
  }
}
