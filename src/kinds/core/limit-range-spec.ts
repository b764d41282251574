import { quantityScalar, t } from '#schema';
import { roundUpAmounts, type ResourceList } from './pod/resources.ts';

export class LimitRangeItem extends t.message(
  'core/v1.LimitRangeItem',
  {
    type: t.string(1).required(),
    max: t.map(2, quantityScalar),
    min: t.map(3, quantityScalar),
    default: t.map(4, quantityScalar),
    defaultRequest: t.map(5, quantityScalar),
    maxLimitRequestRatio: t.map(6, quantityScalar),
  },
  {
    defaults(item) {
      for (const amounts of [item.max, item.min, item.default, item.defaultRequest, item.maxLimitRequestRatio]) roundUpAmounts(amounts);
      if (item.type !== 'Container') return;
      const limits = merge(item.max, item.default);
      const requests = merge(item.min, limits, item.defaultRequest);
      if (limits !== undefined) item.default = limits;
      if (requests !== undefined) item.defaultRequest = requests;
    },
  },
) {}

/** Later lists win. */
function merge(...lists: readonly (ResourceList | undefined)[]): ResourceList | undefined {
  const entries = lists.flatMap((list) => Object.entries(list ?? {}));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
