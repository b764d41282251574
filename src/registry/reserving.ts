import { ApiError } from '#errors';
import type { ApiObject } from '#api';
import type { Written } from '#storage';
import type { GiveBack, Reserve } from './allocators/reserve.ts';
import type { Guard, Registry } from './registry.ts';
import { refuse } from './validate.ts';

/** Allocates the values that `next` needs and `live` does not have. Called in every attempt of the write. */
export type Take = (next: ApiObject, live: ApiObject | undefined) => Promise<void>;

/**
 * Runs a write of an object for which addresses and ports are allocated: the object keeps them when the write succeeds, and they are released when it
 * fails. `take` is undefined for kinds that need none.
 */
export function reserving(of: Registry, guard: Guard, write: (take: Take | undefined) => Promise<Written>): Promise<Written> {
  return of.reserve === undefined ? write(undefined) : holding(of, of.reserve, guard, write);
}

async function holding(of: Registry, reserve: Reserve, guard: Guard, write: (take: Take) => Promise<Written>): Promise<Written> {
  let giveBack: GiveBack | undefined;
  let replaced: ApiObject | undefined;
  try {
    const written = await write(async (next, live) => {
      await giveBack?.();
      giveBack = undefined;
      replaced = live;
      if (guard.subresource !== '') return;
      refuse(of, next, live, guard);
      giveBack = await reserve.take(next, live, guard.dryRun);
    });
    if (!guard.dryRun) await reserve.release(replaced, written.did === 'remove' ? undefined : written.stored.object);
    return written;
  } catch (cause) {
    if (wroteNothing(cause)) await giveBack?.();
    throw cause;
  }
}

/** Whether it is certain that nothing was stored. After any other failure the values stay allocated until a repair frees them. */
const wroteNothing = (cause: unknown): boolean => cause instanceof ApiError && (cause.toStatus().code ?? 500) < 500;
