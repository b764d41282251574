import { isPromised } from '#base';
import type { Condition } from '#api';
import type { Given, Key, Stored, WriteHints } from '#storage';
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

/** undefined: nothing stands there, and nothing need. At once where it is at hand. Throws what the condition throws. */
function standing(of: Registry, { kind, key, check }: Condition, isAgain: boolean): Promise<Standing> | Standing {
  const registry = of.registryOf(kind);
  if (registry === undefined) return undefined;
  const place = registry.keyOf(key);
  const judge = (found: Stored | undefined): Standing => {
    check(found?.object);
    return found && { key: place, revision: found.revision };
  };
  const atHand = registry.objects.atHand?.(place);
  return atHand === undefined ? look(registry, place, judge, isAgain) : judge(atHand.stored);
}

/** What is known here may be old: the store then refuses what is written under it, and what would be refused for it is looked at anew. */
async function look({ objects }: Registry, place: Key, judge: (found: Stored | undefined) => Standing, isAgain: boolean): Promise<Standing> {
  const known = isAgain ? undefined : await objects.get(place, 'any');
  try {
    if (known !== undefined) return judge(known);
  } catch {
    // It may stand otherwise by now.
  }
  return judge(await objects.get(place, 'latest'));
}
