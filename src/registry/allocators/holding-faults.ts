import type { HeldValues } from '#api';
import type { Pools } from './pools.ts';

/** An object with the addresses and ports that it has. */
export interface Holding extends HeldValues {
  /** `<namespace>/<name>` */
  readonly holder: string;
}

/** What no repair of the records sets right: an object has to be given another address or port. */
export interface HoldingFault {
  /** The address or port. */
  readonly value: string;
  /** Several have it; one alone has it outside of all ranges. */
  readonly holders: readonly string[];
}

/** The addresses and ports that several objects have, and those outside of the ranges, each once. */
export function holdingFaults(holdings: readonly Holding[], pools: Pools): readonly HoldingFault[] {
  const holdersOf = new Map<string, Set<string>>();
  const outside = new Set<string>();
  for (const { holder, addresses, ports } of holdings) {
    const add = (value: string, isInside: boolean): void => {
      const holders = holdersOf.get(value) ?? new Set();
      holdersOf.set(value, holders.add(holder));
      if (!isInside) outside.add(value);
    };
    for (const ip of addresses) {
      const known = pools.poolOf(ip)?.canonical(ip);
      add(known ?? ip, known !== undefined);
    }
    for (const port of ports) add(String(port), pools.nodePorts.has(port));
  }
  return [...holdersOf].filter(([value, holders]) => holders.size > 1 || outside.has(value)).map(([value, holders]) => ({ value, holders: [...holders] }));
}
