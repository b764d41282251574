import { LabelSelector } from '#api';
import { t } from '#schema';
import { PodTemplateSpec } from '../core/pod/pod-template.ts';

/** @spec 2.10 */
export class RollingUpdateDaemonSet extends t.message('apps/v1.RollingUpdateDaemonSet', {
  maxUnavailable: t.maybe.intOrString(1).default(1),
  maxSurge: t.maybe.intOrString(2).default(0),
}) {}

/** @spec 2.10 */
export class DaemonSetUpdateStrategy extends t.message(
  'apps/v1.DaemonSetUpdateStrategy',
  {
    type: t.string(1).default('RollingUpdate'),
    rollingUpdate: t.perhaps(2, RollingUpdateDaemonSet),
  },
  {
    defaults(strategy) {
      if (strategy.type === 'RollingUpdate') strategy.rollingUpdate ??= {};
      // For another strategy there is no default: as in 1.23 an absent number is shown as 0 there.
      else if (strategy.rollingUpdate !== undefined) strategy.rollingUpdate.maxUnavailable ??= 0;
    },
  },
) {}

export const daemonSetFields = {
  selector: t.perhaps(1, LabelSelector).required(),
  template: t.one(2, PodTemplateSpec).required(),
  updateStrategy: t.one(3, DaemonSetUpdateStrategy),
  minReadySeconds: t.int32(4),
  revisionHistoryLimit: t.maybe.int32(6).default(10),
};

/** @spec 2.10 */
export class DaemonSetSpec extends t.message('apps/v1.DaemonSetSpec', daemonSetFields) {}

/** @spec 2.10 */
export class DaemonSetCondition extends t.message('apps/v1.DaemonSetCondition', {
  type: t.string(1).required(),
  status: t.string(2).required(),
  lastTransitionTime: t.time(3),
  reason: t.string(4),
  message: t.string(5),
}) {}

/** @spec 2.10 */
export class DaemonSetStatus extends t.message('apps/v1.DaemonSetStatus', {
  currentNumberScheduled: t.int32(1).required(),
  numberMisscheduled: t.int32(2).required(),
  desiredNumberScheduled: t.int32(3).required(),
  numberReady: t.int32(4).required(),
  observedGeneration: t.int64(5),
  updatedNumberScheduled: t.int32(6),
  numberAvailable: t.int32(7),
  numberUnavailable: t.int32(8),
  collisionCount: t.maybe.int32(9),
  conditions: t.many(10, DaemonSetCondition).mergeBy('type'),
}) {}
