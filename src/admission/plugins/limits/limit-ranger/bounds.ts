import { addToList } from '#base';
import { addQuantities, compareQuantities, formatQuantity, parseQuantity, quantityRatio, roundUpQuantityText, ZERO_QUANTITY, type Quantity } from '#schema';
import type { LimitRange, PersistentVolumeClaim, Pod } from '#kinds';

type Amounts = Readonly<Record<string, string>> | undefined;
type Item = NonNullable<LimitRange['spec']['limits']>[number];

interface Needs {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/** The violations of a limit range by a pod and its containers; each text once. */
export function podFaults(pod: Pod, { spec }: LimitRange): readonly string[] {
  const containers = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])];
  const faults = (spec.limits ?? []).flatMap((item) => {
    if (item.type === 'Container') return containers.flatMap(({ resources: { requests, limits } }) => needsFaults(item, { requests, limits }));
    return item.type === 'Pod' ? needsFaults(item, { requests: total(pod, 'requests'), limits: total(pod, 'limits') }) : [];
  });
  return [...new Set(faults)];
}

/** The violations of a limit range by a claim, which has requests only: they are compared with minimum and maximum. */
export function claimFaults({ spec: { resources } }: PersistentVolumeClaim, { spec }: LimitRange): readonly string[] {
  const requests = resources?.requests;
  const faults = (spec.limits ?? [])
    .filter(({ type }) => type === 'PersistentVolumeClaim')
    .flatMap((item) => [
      ...bounds(item.min).map(([name, bound]) => belowMin(item, name, bound, { requests, limits: undefined })),
      ...bounds(item.max).map(([name, bound]) => requestAboveMax(item, name, bound, requests)),
    ]);
  return [...new Set(faults.filter((fault) => fault !== undefined))];
}

const needsFaults = (item: Item, needs: Needs): readonly string[] =>
  [
    ...bounds(item.min).map(([name, bound]) => belowMin(item, name, bound, needs)),
    ...bounds(item.max).map(([name, bound]) => aboveMax(item, name, bound, needs)),
    ...bounds(item.maxLimitRequestRatio).map(([name, bound]) => aboveRatio(item, name, bound, needs)),
  ].filter((fault) => fault !== undefined);

const bounds = (amounts: Amounts): readonly (readonly [name: string, bound: string])[] => Object.entries(amounts ?? {});

const amountOf = (amounts: Amounts, name: string): Quantity | undefined =>
  amounts !== undefined && Object.hasOwn(amounts, name) ? parseQuantity(amounts[name] ?? '') : undefined;

const amountsIn = (amounts: Amounts): readonly (readonly [name: string, amount: Quantity])[] =>
  Object.entries(amounts ?? {}).flatMap(([name, text]) => {
    const amount = parseQuantity(text);
    return amount === undefined ? [] : [[name, amount] as const];
  });

/** Quantities are compared in thousandths, rounded up. */
const inThousandths = (amount: Quantity): Quantity => parseQuantity(roundUpQuantityText(formatQuantity(amount), -3)) ?? amount;
const isMore = (one: Quantity, other: Quantity): boolean => compareQuantities(inThousandths(one), inThousandths(other)) > 0;
const boundOf = (text: string): Quantity => parseQuantity(text) ?? ZERO_QUANTITY;

function belowMin({ type }: Item, name: string, bound: string, { requests, limits }: Needs): string | undefined {
  const [request, limit] = [amountOf(requests, name), amountOf(limits, name)];
  const rule = `minimum ${name} usage per ${type} is ${bound}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  if (isMore(boundOf(bound), request)) return `${rule}, but request is ${formatQuantity(request)}`;
  return limit !== undefined && isMore(boundOf(bound), limit) ? `${rule}, but limit is ${formatQuantity(limit)}` : undefined;
}

function aboveMax({ type }: Item, name: string, bound: string, { requests, limits }: Needs): string | undefined {
  const [request, limit] = [amountOf(requests, name), amountOf(limits, name)];
  const rule = `maximum ${name} usage per ${type} is ${bound}`;
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (isMore(limit, boundOf(bound))) return `${rule}, but limit is ${formatQuantity(limit)}`;
  return request !== undefined && isMore(request, boundOf(bound)) ? `${rule}, but request is ${formatQuantity(request)}` : undefined;
}

function requestAboveMax({ type }: Item, name: string, bound: string, requests: Amounts): string | undefined {
  const request = amountOf(requests, name);
  const rule = `maximum ${name} usage per ${type} is ${bound}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  return isMore(request, boundOf(bound)) ? `${rule}, but request is ${formatQuantity(request)}` : undefined;
}

function aboveRatio({ type }: Item, name: string, bound: string, { requests, limits }: Needs): string | undefined {
  const [request, limit] = [amountOf(requests, name), amountOf(limits, name)];
  const rule = `${name} max limit to request ratio per ${type} is ${bound}`;
  if (request === undefined || request.mantissa === 0n) return `${rule}, but no request is specified or request is 0`;
  if (limit === undefined || limit.mantissa === 0n) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = quantityRatio(inThousandths(limit), inThousandths(request));
  return ratio > quantityRatio(inThousandths(boundOf(bound)), ONE) ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}

const ONE: Quantity = { mantissa: 1n, exponent: 0, form: 'decimal' };

/**
 * The requests or limits of a pod as a whole. Containers run together, so a resource that one of them does not name has no total; init containers run
 * one after the other before them, so the largest of them counts.
 */
function total({ spec }: Pod, part: 'requests' | 'limits'): Amounts {
  const containers = spec.containers ?? [];
  const named = new Map<string, Quantity[]>();
  for (const { resources } of containers) {
    for (const [name, amount] of amountsIn(resources[part])) addToList(named, name, amount);
  }
  const ofAll = [...named].filter(([, amounts]) => amounts.length === containers.length);
  const totals = new Map(ofAll.map(([name, amounts]) => [name, sumOf(name, amounts)]));
  for (const { resources } of spec.initContainers ?? []) {
    for (const [name, amount] of amountsIn(resources[part])) {
      const before = totals.get(name);
      if (before === undefined || compareQuantities(amount, before) > 0) totals.set(name, amount);
    }
  }
  return Object.fromEntries([...totals].map(([name, amount]) => [name, formatQuantity(amount)]));
}

/** A sum is counted in thousandths of a CPU or whole numbers of anything else, and written as a decimal number. */
function sumOf(name: string, amounts: readonly Quantity[]): Quantity {
  const counted = amounts.map((amount) => parseQuantity(roundUpQuantityText(formatQuantity(amount), name === 'cpu' ? -3 : 0)) ?? amount);
  return { ...counted.reduce(addQuantities, ZERO_QUANTITY), form: 'decimal' };
}
