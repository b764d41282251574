import type { Brand } from '#api';
import { addQuantities, compareQuantities, parseQuantity, type Quantity } from '#schema';
import { isExtendedResource, isHugePages } from '../pod/resource-names.ts';
import type { ResourceList } from '../pod/resources.ts';
import type { Pod } from '../pod.ts';

const COMPUTE: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
const ONE: Quantity = { mantissa: 1n, exponent: 0, form: 'decimal' };

/** The usage of a pod: its number and compute resources. None once it is over: then it counts only as a stored object, for `count/pods`. */
export function podUsage(pod: Pod, brand: Brand, nowMs: number): ReadonlyMap<string, Quantity> {
  const usage = new Map<string, Quantity>();
  if (isOver(pod, nowMs)) return usage;
  usage.set('pods', ONE);
  for (const [name, amount] of podTotals(pod, 'requests')) {
    if (COMPUTE.has(name) || isHugePages(name)) usage.set(name, amount);
    if (COMPUTE.has(name) || isHugePages(name) || isExtendedResource(name, brand)) usage.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of podTotals(pod, 'limits')) if (COMPUTE.has(name)) usage.set(`limits.${name}`, amount);
  return usage;
}

export function isPodName(name: string, brand: Brand): boolean {
  if (name === 'pods' || COMPUTE.has(name) || isHugePages(name)) return true;
  if (name.startsWith('limits.')) return COMPUTE.has(name.slice('limits.'.length));
  if (!name.startsWith('requests.')) return false;
  const requested = name.slice('requests.'.length);
  return COMPUTE.has(requested) || isHugePages(requested) || isExtendedResource(requested, brand);
}

/** Whether a pod has finished, or its grace period has passed. */
const isOver = ({ metadata, status: { phase } }: Pod, nowMs: number): boolean => phase === 'Failed' || phase === 'Succeeded' || nowMs > usageEndsAtMs(metadata);

/** When the grace period of a pod has passed: from then on only its unresponsive node keeps it, and it takes nothing. Infinity: it is not being deleted. */
export function usageEndsAtMs({ deletionTimestamp, deletionGracePeriodSeconds: grace }: Pod['metadata']): number {
  return deletionTimestamp && grace !== undefined ? Date.parse(deletionTimestamp) + Number(grace) * 1000 : Infinity;
}

/**
 * Per resource the larger of the sum of the regular containers and the largest init container, since those run before, one by one; plus overhead, as in
 * kube-apiserver also where no container has a limit.
 */
function podTotals({ spec }: Pod, part: 'requests' | 'limits'): ReadonlyMap<string, Quantity> {
  const totals = new Map<string, Quantity>();
  for (const { resources } of spec.containers ?? []) each(resources[part], (name, amount) => totals.set(name, sum(totals.get(name), amount)));
  for (const { resources } of spec.initContainers ?? []) each(resources[part], (name, amount) => totals.set(name, larger(totals.get(name), amount)));
  each(spec.overhead, (name, amount) => totals.set(name, sum(totals.get(name), amount)));
  return totals;
}

function each(amounts: ResourceList | undefined, take: (name: string, amount: Quantity) => void): void {
  for (const [name, text] of Object.entries(amounts ?? {})) {
    const amount = parseQuantity(text);
    if (amount !== undefined) take(name, amount);
  }
}

const sum = (before: Quantity | undefined, amount: Quantity): Quantity => (before === undefined ? amount : addQuantities(before, amount));
const larger = (before: Quantity | undefined, amount: Quantity): Quantity =>
  before !== undefined && compareQuantities(before, amount) >= 0 ? before : amount;
