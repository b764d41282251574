import { resourceName, type Catalog } from '#api';
import { steady, wait, type Clock } from '#base';
import { STAND_INS, type Metrics } from '#http';
import { endOf, StorageFailure, type Engine, type KeySpace } from '#storage';
import { whenServedChanged } from './served-series.ts';

const SECONDS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
/** The shortest time between two counts of objects: counting loads the store. */
const COUNT_EVERY_MS = 60_000;
/** How long a scrape waits for the store. Whoever scrapes gives up after some seconds, and would see nothing of a server whose store is in trouble. */
const SCRAPE_WAIT_MS = 2_000;
/** Shown for objects that could not be counted, as in Kubernetes. */
const NOT_COUNTED = -1;
const OTHER = 'other';

/** Times the engine's operations, whichever engine it is; the metric has the name that dashboards expect. @spec 6 */
export function storageMetrics(metrics: Metrics, engine: Engine, catalog: Catalog, keys: KeySpace): Engine {
  const family = metrics.histogram('etcd_request_duration_seconds', 'Time of one call of the store, by what it did and to which resource.', SECONDS, ['operation', 'type']);
  const failures = metrics.counter('etcd_request_errors_total', 'Calls of the store that failed.', ['operation']);
  const resourceOf = resourceFinder(catalog, keys);
  whenServedChanged(metrics, catalog, () => {
    const served = new Set(catalog.resources.map(resourceName));
    family.retain(([, type = '']) => served.has(type) || STAND_INS.has(type));
  });
  const timed = <T>(operation: string, key: string, call: Promise<T>): Promise<T> => {
    const startedMs = performance.now();
    const duration = family.withLabels(operation, resourceOf(key));
    const observe = (): void => duration.observe((performance.now() - startedMs) / 1_000);
    // On a branch of the promise: the caller does not wait longer because it is timed. Calls that fail are timed as well, as in Kubernetes.
    call.then(observe, () => {
      observe();
      failures.withLabels(operation).add(1);
    });
    return call;
  };
  return {
    keepsOrder: engine.keepsOrder,
    head: () => engine.head(),
    headAtHand: () => engine.headAtHand?.(),
    get: (key, at) => timed('get', key, engine.get(key, at)),
    scan: (range) => timed('list', range.start, engine.scan(range)),
    commit: (write) => timed(write.value === undefined ? 'delete' : write.expect === 0 ? 'create' : 'update', write.key, engine.commit(write)),
    follow: (prefix, after, feed, signal) => engine.follow(prefix, after, feed, signal),
    compact: (before) => timed('compact', '', engine.compact(before)),
    close: () => engine.close(),
  };
}

/**
 * Counts stored objects at scrapes, each resource under its own key prefix only. A store that is slow holds no scrape up: what it answers later is shown
 * by the next one.
 */
export function objectMetrics(metrics: Metrics, engine: Pick<Engine, 'head' | 'scan'>, catalog: Catalog, keys: KeySpace, clock: Clock): void {
  const objects = metrics.gauge('apiserver_storage_objects', 'Objects stored, by resource; counted once a minute at most. -1: they could not be counted.', ['resource']);
  const revision = metrics.gauge('apiserver_storage_revision', 'The newest revision of the store.').withLabels();
  const time = steady(clock);
  let countedAtMs = -Infinity;
  let counting: Promise<void> | undefined;
  const count = async (): Promise<void> => {
    countedAtMs = time.nowMs();
    const totals = await countAll(engine, prefixesOf(catalog, keys));
    objects.clear();
    for (const [name, total] of totals) objects.withLabels(name).set(total);
    counting = undefined;
  };
  metrics.collect(async () => {
    if (counting === undefined && time.nowMs() - countedAtMs >= COUNT_EVERY_MS) counting = count();
    const done = new AbortController();
    const answers = Promise.allSettled([engine.head().then((head) => revision.set(head)), counting]);
    await Promise.race([answers, wait(time, SCRAPE_WAIT_MS, done.signal)]);
    done.abort();
  });
}

/** The number of objects of each resource. A store that cannot be reached is not asked again. */
async function countAll(engine: Pick<Engine, 'scan'>, prefixes: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, number>> {
  const totals = new Map<string, number>();
  let isAway = false;
  for (const [prefix, name] of prefixes) {
    totals.set(name, NOT_COUNTED);
    if (isAway) continue;
    try {
      const { total = 0 } = await engine.scan({ start: prefix, end: endOf(prefix), limit: 1, count: true });
      totals.set(name, total);
    } catch (cause) {
      // One entry that cannot be read says nothing about other resources.
      isAway = !(cause instanceof StorageFailure && cause.code === 'corrupt');
    }
  }
  return totals;
}

/** Key prefixes by resource; several versions and groups may share one. */
function prefixesOf(catalog: Catalog, keys: KeySpace): ReadonlyMap<string, string> {
  const prefixes = new Map<string, string>();
  for (const { group, plural, kind } of catalog.resources) {
    if (kind.action !== undefined) continue;
    const prefix = keys.prefixOf({ group, resource: plural });
    if (!prefixes.has(prefix)) prefixes.set(prefix, resourceName({ group, plural }));
  }
  return prefixes;
}

/** Finds the resource of a key by its longest known prefix. Rebuilt when the served resources change. */
function resourceFinder(catalog: Catalog, keys: KeySpace): (key: string) => string {
  let madeOf: unknown;
  let prefixes: ReadonlyMap<string, string> = new Map();
  return (key) => {
    if (madeOf !== catalog.resources) {
      madeOf = catalog.resources;
      prefixes = prefixesOf(catalog, keys);
    }
    for (let slash = key.indexOf('/', 1); slash !== -1; slash = key.indexOf('/', slash + 1)) {
      const name = prefixes.get(key.slice(0, slash + 1));
      if (name !== undefined) return name;
    }
    return OTHER;
  };
}
