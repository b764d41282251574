import { isPromised } from '#base';
import type { Prerequisite } from '#api';
import type { Precondition, Stored, WriteHints } from '#storage';
import type { Guard, Registry } from './registry.ts';

/**
 * The hint that makes the commit of a new object depend on its prerequisites. Otherwise an object that was admitted just before its namespace or its
 * CustomResourceDefinition was deleted, by this server or another one on the store, would be stored after everything in there had been deleted, and
 * stay. `guard.prerequisites` is read only at the commit, because validating admission sets it.
 */
export function prerequisitePreconditions(of: Registry, { prerequisites = [] }: Guard): NonNullable<WriteHints['preconditions']> {
  return (isAgain) => {
    const found = [...of.prerequisites, ...prerequisites].map((prerequisite) => preconditionOf(of, prerequisite, isAgain));
    return found.some(isPromised) ? Promise.all(found.map((one) => Promise.resolve(one))).then(present) : present(found as readonly (Precondition | undefined)[]);
  };
}

const present = (found: readonly (Precondition | undefined)[]): readonly Precondition[] => found.filter((one) => one !== undefined);

/**
 * The condition of the commit for one prerequisite; undefined: none, because the object does not exist and need not. Returns no promise when the cache
 * suffices. Throws what the prerequisite throws.
 */
function preconditionOf(of: Registry, prerequisite: Prerequisite, isAgain: boolean): Promise<Precondition | undefined> | Precondition | undefined {
  const registry = of.registryOf(prerequisite.kind);
  if (registry === undefined) return undefined;
  const key = registry.keyOf(prerequisite.key);
  // The cache may be stale. If the prerequisite holds only there, the commit fails and this is called again; if it does not hold there, the store is read.
  const known = isAgain ? undefined : registry.objects.atHand?.(key, 'any')?.stored;
  if (known !== undefined && holds(prerequisite, known)) return { key, revision: known.revision };
  return registry.objects.get(key, 'latest').then((found) => {
    prerequisite.check(found?.object);
    return found && { key, revision: found.revision };
  });
}

function holds({ check }: Prerequisite, { object }: Stored): boolean {
  try {
    check(object);
    return true;
  } catch {
    return false;
  }
}
