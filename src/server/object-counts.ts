import { resourceName, type Catalog } from '#api';
import { steady, type Clock } from '#base';
import type { CountObjects } from '#flowcontrol';
import { endOf, type Engine, type KeySpace } from '#storage';

/** The shortest time between two counts of a resource: counting loads the store. */
const COUNT_EVERY_MS = 60_000;

interface Count {
  askedAtMs: number;
  total: number | undefined;
}

/**
 * The number of objects of a resource, at most a minute old; `undefined` until the first count. Returns at once: counts run in the background, and
 * only for resources that are requested.
 */
export function objectCounts(engine: Pick<Engine, 'scan'>, catalog: Catalog, keys: KeySpace, clock: Clock): CountObjects {
  const counts = new Map<string, Count>();
  const time = steady(clock);
  return (group, plural) => {
    const id = resourceName({ group, plural });
    const known = counts.get(id);
    if (known !== undefined && time.nowMs() - known.askedAtMs < COUNT_EVERY_MS) return known.total;
    // Clients choose the names: resources that are not served are not cached.
    if (!catalog.resources.some((resource) => resource.plural === plural && resource.group === group)) return undefined;
    if (known === undefined && counts.size >= catalog.resources.length) forgetUnserved(counts, catalog);
    const count: Count = { askedAtMs: time.nowMs(), total: known?.total };
    counts.set(id, count);
    const prefix = keys.prefixOf({ group, resource: plural });
    engine.scan({ start: prefix, end: endOf(prefix), limit: 1, count: true }).then(
      ({ total }) => void (count.total = total),
      // The request itself reports what is wrong with the store.
      () => undefined,
    );
    return count.total;
  };
}

/** Forgets the counts of resources whose definitions are gone. */
function forgetUnserved(counts: Map<string, Count>, { resources }: Catalog): void {
  const served = new Set(resources.map(resourceName));
  for (const id of counts.keys()) if (!served.has(id)) counts.delete(id);
}
