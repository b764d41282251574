import { ApiError } from '#errors';
import type { ApiObject } from '#api';
import type { Written } from '#storage';
import type { Release, ServiceAllocator } from './allocators/service-allocator.ts';
import type { Guard, Registry } from './registry.ts';
import { refuse } from './validate.ts';

/** Allocates the values that `next` needs and `live` does not have. Called in every attempt of the write. */
export type Allocate = (next: ApiObject, live: ApiObject | undefined) => Promise<void>;

/**
 * Runs a write of an object for which addresses and ports are allocated: the object keeps them when the write succeeds, and they are released when it
 * fails. `allocate` is undefined for kinds that need none.
 */
export function withAllocation(of: Registry, guard: Guard, write: (allocate: Allocate | undefined) => Promise<Written>): Promise<Written> {
  return of.allocator === undefined ? write(undefined) : allocating(of, of.allocator, guard, write);
}

async function allocating(of: Registry, allocator: ServiceAllocator, guard: Guard, write: (allocate: Allocate) => Promise<Written>): Promise<Written> {
  let release: Release | undefined;
  let replaced: ApiObject | undefined;
  try {
    const written = await write(async (next, live) => {
      await release?.();
      release = undefined;
      replaced = live;
      if (guard.subresource !== '') return;
      refuse(of, next, live, guard);
      release = await allocator.allocate(next, live, guard.dryRun);
    });
    if (!guard.dryRun) await allocator.release(replaced, written.did === 'remove' ? undefined : written.stored.object);
    return written;
  } catch (cause) {
    if (wroteNothing(cause)) await release?.();
    throw cause;
  }
}

/** Whether it is certain that nothing was stored. After any other failure the values stay allocated until a repair frees them. */
const wroteNothing = (cause: unknown): boolean => cause instanceof ApiError && (cause.toStatus().code ?? 500) < 500;
