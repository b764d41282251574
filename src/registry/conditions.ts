import { isPromised } from '#base';
import type { Condition } from '#api';
import type { Given, Stored, WriteHints } from '#storage';
import type { Guard, Registry } from './registry.ts';

/**
 * A new object is made only while what it depends on stands: whoever removes all objects of a namespace or of a kind before that goes must not be
 * followed by one that was admitted before, here or by another server on the store. What the guard depends on it says while it checks the object.
 */
export function underConditions(of: Registry, { conditions = [] }: Guard): Pick<WriteHints, 'given'> {
  return {
    given: (isAgain) => {
      const found = [...of.conditions, ...conditions].map((condition) => standing(of, condition, isAgain));
      return found.some(isPromised) ? Promise.all(found.map((one) => Promise.resolve(one))).then(present) : present(found as readonly Standing[]);
    },
  };
}

type Standing = Given | undefined;

const present = (found: readonly Standing[]): readonly Given[] => found.filter((one) => one !== undefined);

/** undefined: nothing stands there, and nothing need. At once where what is known here will do. Throws what the condition throws. */
function standing(of: Registry, condition: Condition, isAgain: boolean): Promise<Standing> | Standing {
  const registry = of.registryOf(condition.kind);
  if (registry === undefined) return undefined;
  const key = registry.keyOf(condition.key);
  // It may be old: then the store refuses what is written under it, and what would be refused here is looked at anew.
  const known = isAgain ? undefined : registry.objects.atHand?.(key, 'any')?.stored;
  if (known !== undefined && holds(condition, known)) return { key, revision: known.revision };
  return registry.objects.get(key, 'latest').then((found) => {
    condition.check(found?.object);
    return found && { key, revision: found.revision };
  });
}

function holds({ check }: Condition, { object }: Stored): boolean {
  try {
    check(object);
    return true;
  } catch {
    return false;
  }
}
