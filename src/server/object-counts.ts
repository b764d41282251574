import type { Catalog } from '#api';
import { steady, type Clock } from '#base';
import type { CountObjects } from '#flowcontrol';
import { endOf, type Engine, type KeySpace } from '#storage';

/** Counting costs the store something: not more often than this for each resource. */
const COUNT_EVERY_MS = 60_000;

interface Count {
  askedAtMs: number;
  total: number | undefined;
}

/**
 * How many objects of a resource there are, as of a minute ago at most; `undefined` until they were counted once. Answers at once: counts are
 * taken beside the request that asks, and only of resources that are asked for.
 */
export function objectCounts(engine: Pick<Engine, 'scan'>, catalog: Catalog, keys: KeySpace, clock: Clock): CountObjects {
  const counts = new Map<string, Count>();
  const time = steady(clock);
  return (group, plural) => {
    const id = `${plural}.${group}`;
    const known = counts.get(id);
    if (known !== undefined && time.nowMs() - known.askedAtMs < COUNT_EVERY_MS) return known.total;
    // Callers choose the names: what is not served is not remembered.
    if (!catalog.resources.some((resource) => resource.plural === plural && resource.group === group)) return undefined;
    const count: Count = { askedAtMs: time.nowMs(), total: known?.total };
    counts.set(id, count);
    const prefix = keys.prefixOf({ group, resource: plural });
    engine.scan({ start: prefix, end: endOf(prefix), limit: 1, count: true }).then(
      ({ total }) => void (count.total = total),
      // The request itself will tell what is wrong with the store.
      () => undefined,
    );
    return count.total;
  };
}
