import { every, failureText, type Clock, type Log } from '#base';
import type { Catalog } from '#api';
import type { Registries } from '#registry';

const EVERY_MS = 3 * 60_000;

/**
 * Reconciles the allocated addresses and ports of services every three minutes, until the signal aborts: allocations that a server left behind when
 * it crashed between allocating and storing are released.
 */
export function repairRanges(catalog: Catalog, registries: Registries, clock: Clock, log: Log, signal: AbortSignal): void {
  const services = catalog.findKind('', 'Service');
  const reserve = services === undefined ? undefined : registries.of(services).allocator;
  if (reserve === undefined) return;
  const round = async (): Promise<void> => {
    try {
      const repaired = await reserve.repair();
      if (repaired > 0) log.warn('addresses or ports of services were set right', { count: repaired });
    } catch (cause) {
      if (!signal.aborted) log.warn('addresses and ports of services could not be checked', { error: failureText(cause) });
    }
  };
  every(clock, EVERY_MS, round, signal);
}
