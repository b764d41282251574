import { addQuantities, compareQuantities, parseQuantity, type Quantity } from '#schema';
import type { PodSpec } from './pod-spec.ts';
import type { ResourceList } from './resources.ts';

export type QosClass = 'BestEffort' | 'Burstable' | 'Guaranteed';

/** The resources that determine the class. */
const DECIDING = ['cpu', 'memory'] as const;

/**
 * The quality of service class of a pod, by which its node chooses pods to evict: `Guaranteed` when every container has limits and its requests equal
 * them, `BestEffort` when no container has requests or limits, `Burstable` otherwise. Ephemeral containers do not count.
 */
export function qosClassOf(spec: PodSpec): QosClass {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  const requests = totals(containers.map(({ resources }) => resources.requests));
  const limits = totals(containers.map(({ resources }) => resources.limits));
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const isLimited = containers.every(({ resources }) => DECIDING.every((name) => isMore(amountOf(resources.limits, name))));
  return isLimited && isSame(requests, limits) ? 'Guaranteed' : 'Burstable';
}

const amountOf = (amounts: ResourceList | undefined, name: string): Quantity | undefined => {
  const text = amounts?.[name];
  return text === undefined ? undefined : parseQuantity(text);
};

const isMore = (amount: Quantity | undefined): amount is Quantity => amount !== undefined && amount.mantissa > 0n;

function totals(lists: readonly (ResourceList | undefined)[]): ReadonlyMap<string, Quantity> {
  const sums = new Map<string, Quantity>();
  for (const amounts of lists) {
    for (const name of DECIDING) {
      const amount = amountOf(amounts, name);
      if (!isMore(amount)) continue;
      const before = sums.get(name);
      sums.set(name, before === undefined ? amount : addQuantities(before, amount));
    }
  }
  return sums;
}

function isSame(requests: ReadonlyMap<string, Quantity>, limits: ReadonlyMap<string, Quantity>): boolean {
  if (requests.size !== limits.size) return false;
  return [...requests].every(([name, request]) => {
    const limit = limits.get(name);
    return limit !== undefined && compareQuantities(limit, request) === 0;
  });
}
