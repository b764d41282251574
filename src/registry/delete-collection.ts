import { nextTurn, when } from '#base';
import { isRefusal } from '#errors';
import type { Listing, Stored } from '#storage';
import { remove } from './delete.ts';
import type { DeleteOrder } from './delete-order.ts';
import { toApiError } from './failures.ts';
import { list, type Selection } from './read.ts';
import type { Guard, Registry } from './registry.ts';

/**
 * Deletes the objects of a selection, one guarded write per object, and resolves with the objects that were listed. Objects that vanish meanwhile are
 * skipped. Admission runs in the order of the list, for `of.deletionWorkers` objects concurrently. The first refusal ends the deletion: later objects
 * stay. Throws that refusal.
 * @spec 4.3
 */
export async function removeCollection(of: Registry, selection: Selection, order: DeleteOrder, guard: Guard): Promise<Listing> {
  const found = await list(of, selection);
  const { deletionsAtOnce } = of;
  for (let at = 0; at < found.items.length; at += deletionsAtOnce) {
    // Writes to a store in memory never leave the microtask queue: without this, nothing else would run meanwhile.
    if (at > 0) await nextTurn();
    await removeGroup(of, found.items.slice(at, at + deletionsAtOnce), order, guard);
  }
  return found;
}

/**
 * The writes of a group run concurrently and so share commits, but none begins before those ahead of it are admitted. Throws the first refusal once all
 * have ended.
 */
async function removeGroup(of: Registry, group: readonly Stored[], order: DeleteOrder, guard: Guard): Promise<void> {
  const removals: Removal[] = [];
  for (let at = 0; at < group.length && !removals.some(isRefused); at += of.deletionWorkers) {
    const next = group.slice(at, at + of.deletionWorkers).map((stored) => new Removal(of, stored, order, guard));
    removals.push(...next);
    // A deletion that was admitted synchronously needs no wait.
    for (const removal of next) if (!removal.isAdmitted) await removal.admitted;
  }
  await Promise.all(removals.map(({ ended }) => ended));
  const refused = removals.find(isRefused);
  if (refused !== undefined) throw refused.refusal;
}

const isRefused = ({ refusal }: Removal): boolean => refusal !== undefined;

/** The deletion of one object of a collection. */
class Removal {
  isAdmitted = false;
  /** Why the deletion failed. */
  refusal: unknown;
  /** Resolves when the deletion is done or has failed; never rejects. */
  readonly ended: Promise<void>;
  #resolveAdmitted: (() => void) | undefined;

  constructor(of: Registry, stored: Stored, order: DeleteOrder, guard: Guard) {
    const check: Guard['check'] = (next, live, planned) => when(guard.check(next, live, planned), () => this.#admit());
    this.ended = this.#remove(of, stored, order, { ...guard, check });
  }

  /** What cannot be read fails here as well: it ends the deletion of the collection behind those that have begun. */
  async #remove(of: Registry, stored: Stored, order: DeleteOrder, guard: Guard): Promise<void> {
    try {
      const { namespace = '', name = '' } = stored.object.metadata;
      await remove(of, { namespace, name }, order, guard, stored);
    } catch (cause) {
      if (!isRefusal(cause, 'NotFound')) this.refusal = toApiError(cause);
    }
  }

  /** Resolves when the deletion is admitted, or has ended without that. */
  get admitted(): Promise<void> {
    return Promise.race([this.ended, new Promise<void>((resolve) => (this.#resolveAdmitted = resolve))]);
  }

  #admit(): void {
    this.isAdmitted = true;
    this.#resolveAdmitted?.();
  }
}
