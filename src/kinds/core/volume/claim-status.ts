import { quantityScalar, t } from '#schema';
import { roundUpAmounts } from '../pod/resources.ts';

class Condition extends t.message('core/v1.PersistentVolumeClaimCondition', {
  type: t.string(1).required(),
  status: t.string(2).required(),
  lastProbeTime: t.time(3),
  lastTransitionTime: t.time(4),
  reason: t.string(5),
  message: t.string(6),
}) {}

export class PersistentVolumeClaimStatus extends t.message(
  'core/v1.PersistentVolumeClaimStatus',
  {
    phase: t.string(1).default('Pending'),
    accessModes: t.strings(2),
    capacity: t.map(3, quantityScalar),
    conditions: t.many(4, Condition).mergeBy('type'),
    allocatedResources: t.map(5, quantityScalar),
    resizeStatus: t.maybe.string(6),
  },
  {
    defaults({ capacity, allocatedResources }) {
      roundUpAmounts(capacity);
      roundUpAmounts(allocatedResources);
    },
  },
) {}
