import { quantityScalar, roundUpQuantityText, t } from '#schema';

/** Quantities by resource name. */
export type ResourceList = Record<string, string>;

export class ResourceRequirements extends t.message(
  'core/v1.ResourceRequirements',
  {
    limits: t.map(1, quantityScalar),
    requests: t.map(2, quantityScalar),
  },
  {
    defaults({ limits, requests }) {
      roundUpAmounts(limits);
      roundUpAmounts(requests);
    },
  },
) {}

/** Rounds the amounts up to thousandths. Changes the list. */
export function roundUpAmounts(amounts: ResourceList | undefined): void {
  for (const [name, amount] of Object.entries(amounts ?? {})) {
    const rounded = roundUpQuantityText(amount, -3);
    // `defineProperty`: a resource may be called `__proto__` until validation refuses it.
    if (rounded !== amount) Object.defineProperty(amounts, name, { value: rounded, enumerable: true, writable: true, configurable: true });
  }
}
