import { nextTurn, when } from '#base';
import { isRefusal } from '#errors';
import type { Listing, Stored } from '#storage';
import { remove } from './delete.ts';
import type { DeleteOrder } from './delete-order.ts';
import { list, type Selection } from './read.ts';
import type { Guard, Registry } from './registry.ts';

/**
 * Deletes what the selection finds, one guarded write per object. Objects that vanish meanwhile are passed over. Answers with what was found.
 * They are decided about in the order in which they were found, as many at once as `of.deletionWorkers` says; the first that is refused ends
 * it: what stands behind it stays. Throws what refused it.
 * @spec 4.3
 */
export async function removeCollection(of: Registry, selection: Selection, order: DeleteOrder, guard: Guard): Promise<Listing> {
  const found = await list(of, selection);
  const { deletionsAtOnce } = of;
  for (let at = 0; at < found.items.length; at += deletionsAtOnce) {
    // Writes to a store in memory are done before anything else gets its turn.
    if (at > 0) await nextTurn();
    await removeGroup(of, found.items.slice(at, at + deletionsAtOnce), order, guard);
  }
  return found;
}

/** The writes of a group share commits, yet none is asked for before those in front are admitted. Throws the first refusal once all have ended. */
async function removeGroup(of: Registry, group: readonly Stored[], order: DeleteOrder, guard: Guard): Promise<void> {
  const removals: Removal[] = [];
  for (let at = 0; at < group.length && !removals.some(isRefused); at += of.deletionWorkers) {
    const next = group.slice(at, at + of.deletionWorkers).map((stored) => new Removal(of, stored, order, guard));
    removals.push(...next);
    // Where nobody has to be asked there is nothing to wait for.
    for (const removal of next) if (!removal.isAdmitted) await removal.admitted;
  }
  await Promise.all(removals.map(({ ended }) => ended));
  const refused = removals.find(isRefused);
  if (refused !== undefined) throw refused.refusal;
}

const isRefused = ({ refusal }: Removal): boolean => refusal !== undefined;

/** The deletion of one object of many. */
class Removal {
  isAdmitted = false;
  /** Why it could not be done. */
  refusal: unknown;
  /** Kept when it is done or refused; never broken. */
  readonly ended: Promise<void>;
  #tellAdmitted: (() => void) | undefined;

  constructor(of: Registry, stored: Stored, order: DeleteOrder, guard: Guard) {
    const { namespace = '', name = '' } = stored.object.metadata;
    const check: Guard['check'] = (next, live, planned) => when(guard.check(next, live, planned), () => this.#admit());
    this.ended = remove(of, { namespace, name }, order, { ...guard, check }, stored).then(
      () => {},
      (cause: unknown) => {
        if (!isRefusal(cause, 'NotFound')) this.refusal = cause;
      },
    );
  }

  /** Kept when it is admitted, or has ended without. */
  get admitted(): Promise<void> {
    return Promise.race([this.ended, new Promise<void>((resolve) => (this.#tellAdmitted = resolve))]);
  }

  #admit(): void {
    this.isAdmitted = true;
    this.#tellAdmitted?.();
  }
}
