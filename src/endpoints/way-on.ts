import { ApiError, expiredList } from '#errors';
import { encodeContinueToken } from '#registry';
import type { VerbContext } from './verb-context.ts';

/**
 * Runs work that begins with a page of a list. Who was in the middle (`from`) of a list that is no longer kept may read the rest as it is now:
 * no longer one moment, but everything once. Throws `Expired` with the token for that, and what the work throws.
 * @spec 4.4
 */
export async function withWayOn<T>({ registry, route }: VerbContext, from: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (from === undefined || !(cause instanceof ApiError) || cause.reason !== 'Expired') throw cause;
    const prefix = registry.prefixOf(route.key.namespace);
    const token = encodeContinueToken({ revision: -1, from, prefix });
    throw expiredList(`${cause.message}; start again without continue, or read the rest in its newest state with the token in this answer`, token);
  }
}
