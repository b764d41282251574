import type { Brand } from '#api';
import { parseQuantity, roundUpQuantityText, type Quantity } from '#schema';
import { annotatedClass } from '../volume/claim-columns.ts';
import type { PersistentVolumeClaim } from '../persistent-volume-claim.ts';

const CLAIMS = 'persistentvolumeclaims';
const STORAGE = 'requests.storage';
const ONE: Quantity = { mantissa: 1n, exponent: 0, form: 'decimal' };

const classSuffix = (brand: Brand): string => `.storageclass.${brand.group('storage')}/`;

/** The usage of a claim: once in total, and once for its storage class. */
export function claimUsage({ metadata, spec }: PersistentVolumeClaim, brand: Brand): ReadonlyMap<string, Quantity> {
  const usage = new Map<string, Quantity>([[CLAIMS, ONE]]);
  const className = annotatedClass(metadata.annotations) ?? spec.storageClassName ?? '';
  const prefix = className === '' ? undefined : className + classSuffix(brand);
  if (prefix !== undefined) usage.set(prefix + CLAIMS, ONE);
  // In whole bytes: a quota with a fraction of one would be invalid.
  const storage = parseQuantity(roundUpQuantityText(spec.resources?.requests?.['storage'] ?? '', 0));
  if (storage === undefined) return usage;
  usage.set(STORAGE, storage);
  if (prefix !== undefined) usage.set(prefix + STORAGE, storage);
  return usage;
}

export function claimNames(name: string, brand: Brand): boolean {
  if (name === CLAIMS || name === STORAGE) return true;
  return [CLAIMS, STORAGE].some((what) => name.endsWith(classSuffix(brand) + what));
}
