import { ApiError } from '#errors';
import type { ApiObject } from '#api';
import { StorageFailure, type Written } from '#storage';
import type { Release, Allocator } from './allocators/allocator.ts';
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

async function allocating(of: Registry, allocator: Allocator, guard: Guard, write: (allocate: Allocate) => Promise<Written>): Promise<Written> {
  let release: Release | undefined;
  let replaced: ApiObject | undefined;
  let written: Written;
  try {
    written = await write(async (next, live) => {
      await released(release?.());
      release = undefined;
      replaced = live;
      if (guard.subresource !== '') return;
      refuse(of, next, live, guard);
      release = await allocator.allocate(next, live, guard.dryRun);
    });
  } catch (cause) {
    if (!mayBeStored(cause)) await released(release?.());
    throw cause;
  }
  if (guard.dryRun) return written;
  const isRemoved = written.did === 'remove';
  // A write that takes the last finalizer off may have asked for more.
  if (isRemoved) await released(release?.());
  await released(allocator.release(replaced, isRemoved ? undefined : written.stored.object));
  return written;
}

/** Releases the addresses and ports of an object that was removed. Never rejects. */
export const releaseOf = (of: Registry, removed: ApiObject): Promise<void> => released(of.allocator?.release(removed, undefined));

/** The write has its outcome, whatever becomes of this: values that cannot be released stay allocated until a repair frees them. */
const released = async (releasing: Promise<void> | undefined): Promise<void> => releasing?.catch(() => {});

/**
 * Whether the object may have been stored in spite of a failure: the store did not say, or the failure is of a kind that nobody foresaw. The values then
 * stay allocated; if nothing was stored, a repair frees them.
 */
function mayBeStored(failure: unknown): boolean {
  const cause = failure instanceof ApiError ? failure.cause : failure;
  return cause instanceof StorageFailure ? cause.code === 'unavailable' : !(failure instanceof ApiError);
}
