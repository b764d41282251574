import { every, failureText, type Clock, type Log } from '#base';
import type { Catalog } from '#api';
import type { Registries } from '#registry';

const EVERY_MS = 3 * 60_000;

/**
 * Sets right, every three minutes, what is taken of the addresses and ports of services: what a server left behind that broke down between
 * taking and storing becomes free. Until the signal aborts.
 */
export function repairRanges(catalog: Catalog, registries: Registries, clock: Clock, log: Log, signal: AbortSignal): void {
  const services = catalog.findKind('', 'Service');
  const reserve = services === undefined ? undefined : registries.of(services).reserve;
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
