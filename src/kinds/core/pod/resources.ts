import { quantityScalar, roundUpQuantityText, t } from '#schema';

/** Amounts by resource name. */
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

/** Nothing finer than a thousandth is kept. Changes the list. */
export function roundUpAmounts(amounts: ResourceList | undefined): void {
  for (const [name, amount] of Object.entries(amounts ?? {})) {
    const rounded = roundUpQuantityText(amount, -3);
    // `defineProperty`: a resource may be called `__proto__` until validation says no.
    if (rounded !== amount) Object.defineProperty(amounts, name, { value: rounded, enumerable: true, writable: true, configurable: true });
  }
}
