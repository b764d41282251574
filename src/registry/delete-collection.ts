import { nextTurn } from '#base';
import { ApiError } from '#errors';
import type { Listing, Stored } from '#storage';
import { remove } from './delete.ts';
import type { DeleteOrder } from './delete-order.ts';
import { list, type Selection } from './read.ts';
import type { Guard, Registry } from './registry.ts';

/**
 * Deletes what the selection finds, one guarded write per object. Objects that vanish meanwhile are passed over.
 * Answers with what was found. They go in the order in which they were found, unless `of.deletionsAtOnce` says otherwise.
 * @spec 4.3
 */
export async function removeCollection(of: Registry, selection: Selection, order: DeleteOrder, guard: Guard): Promise<Listing> {
  const found = await list(of, selection);
  const { deletionsAtOnce } = of;
  for (let at = 0; at < found.items.length; at += deletionsAtOnce) {
    // Writes to a store in memory are done before anything else gets its turn.
    if (at > 0) await nextTurn();
    await Promise.all(found.items.slice(at, at + deletionsAtOnce).map((stored) => removeOne(of, stored, order, guard)));
  }
  return found;
}

async function removeOne(of: Registry, stored: Stored, order: DeleteOrder, guard: Guard): Promise<void> {
  const { namespace = '', name = '' } = stored.object.metadata;
  try {
    await remove(of, { namespace, name }, order, guard, stored);
  } catch (cause) {
    if (!(cause instanceof ApiError && cause.reason === 'NotFound')) throw cause;
  }
}
