import { every, failureText, seldom, type Clock, type Log } from '#base';
import type { Catalog } from '#api';
import type { HoldingFault, Registries } from '#registry';

const EVERY_MS = 3 * 60_000;

/**
 * Reconciles the allocated addresses and ports of services once before it resolves, and then every three minutes, until the signal aborts: what services
 * have is allocated, also where a server wrote them that keeps other records, and allocations that a server left behind when it crashed between
 * allocating and storing are released. The log tells of what only their owners can set right, the same once in ten minutes. Never rejects.
 */
export async function repairRanges(catalog: Catalog, registries: Registries, clock: Clock, log: Log, signal: AbortSignal): Promise<void> {
  const services = catalog.findKind('', 'Service');
  const reserve = services === undefined ? undefined : registries.of(services).allocator;
  if (reserve === undefined) return;
  const isDue = seldom(clock);
  const tell = (fault: HoldingFault): void => {
    if (!isDue(JSON.stringify(fault))) return;
    const why = fault.holders.length > 1 ? 'several services have one address or port: create all but one of them anew' : 'a service has an address or port outside of the ranges: create it anew';
    log.warn(why, { ...fault });
  };
  const round = async (): Promise<void> => {
    try {
      const repaired = await reserve.repair(tell);
      if (repaired > 0) log.warn('addresses or ports of services were set right', { count: repaired });
    } catch (cause) {
      if (!signal.aborted) log.warn('addresses and ports of services could not be checked', { error: failureText(cause) });
    }
  };
  await round();
  every(clock, EVERY_MS, round, signal);
}
