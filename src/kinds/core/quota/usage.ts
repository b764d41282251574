import type { ApiObject, Brand } from '#api';
import { addQuantities, negateQuantity, parseQuantity, ZERO_QUANTITY, type Quantity } from '#schema';
import { countNames } from './count-names.ts';
import { claimNames, claimUsage } from './claim-usage.ts';
import { isPodName, podUsage } from './pod-usage.ts';
import { SERVICE_NAMES, serviceUsage } from './service-usage.ts';
import type { PersistentVolumeClaim } from '../persistent-volume-claim.ts';
import type { Pod } from '../pod.ts';
import type { Service } from '../service.ts';

/** Quantities by quota name. */
export type Usage = ReadonlyMap<string, Quantity>;

/** An object that a quota may count, and its resource; `group` as served. */
export interface QuotaSubject {
  readonly group: string;
  readonly plural: string;
  readonly object: ApiObject;
}

export interface QuotaContext {
  readonly brand: Brand;
  /** Pods whose grace period has passed do not count for compute resources. */
  readonly nowMs: number;
}

/** The usage of an object by quota name. @spec 2.9 */
export function quotaUsageOf({ group, plural, object }: QuotaSubject, { brand, nowMs }: QuotaContext): Usage {
  const usage = new Map(countNames(group, plural).map((name) => [name, ONE]));
  const own = group === '' ? OWN_USAGE.get(plural)?.(object, brand, nowMs) : undefined;
  for (const [name, amount] of own ?? []) usage.set(name, amount);
  return usage;
}

const ONE: Quantity = { mantissa: 1n, exponent: 0, form: 'decimal' };

/** The usage beside the number of objects, for the core resources that have one. */
const OWN_USAGE: ReadonlyMap<string, (object: ApiObject, brand: Brand, nowMs: number) => Usage> = new Map([
  ['pods', (object: ApiObject, brand: Brand, nowMs: number) => podUsage(object as Pod, brand, nowMs)],
  ['services', (object: ApiObject) => serviceUsage(object as Service)],
  ['persistentvolumeclaims', (object: ApiObject, brand: Brand) => claimUsage(object as PersistentVolumeClaim, brand)],
]);

/** Whether objects of a resource count for a name in a quota's `hard`. */
export function isQuotaNameOf(group: string, plural: string, name: string, brand: Brand): boolean {
  if (countNames(group, plural).includes(name)) return true;
  if (group !== '') return false;
  if (plural === 'pods') return isPodName(name, brand);
  if (plural === 'services') return SERVICE_NAMES.includes(name);
  return plural === 'persistentvolumeclaims' && claimNames(name, brand);
}

/** Adds `more` to `sum`. Changes `sum`. */
export function addUsage(sum: Map<string, Quantity>, more: Usage): void {
  for (const [name, amount] of more) {
    const before = sum.get(name);
    sum.set(name, before === undefined ? amount : addQuantities(before, amount));
  }
}

/** The usage of `next` minus that of `live`, by name; may be negative. */
export function usageDifference(next: Usage, live: Usage): Usage {
  const difference = new Map(next);
  addUsage(difference, new Map([...live].map(([name, amount]) => [name, negateQuantity(amount)])));
  return difference;
}

/** Parses the amounts of `hard` or `used`. */
export const readUsage = (amounts: Readonly<Record<string, string>> | undefined): Usage =>
  new Map(Object.entries(amounts ?? {}).map(([name, text]) => [name, parseQuantity(text) ?? ZERO_QUANTITY]));
