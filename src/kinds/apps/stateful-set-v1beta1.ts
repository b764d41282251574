import { t } from '#schema';
import { nameClaims, RollingUpdateStatefulSetStrategy, statefulSetFields, StatefulSetStatus } from './stateful-set-spec.ts';

class StrategyBeta extends t.message(
  'apps/v1beta1.StatefulSetUpdateStrategy',
  {
    type: t.string(1).default('OnDelete'),
    rollingUpdate: t.perhaps(2, RollingUpdateStatefulSetStrategy),
  },
  {
    defaults(strategy) {
      if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate !== undefined) strategy.rollingUpdate.partition ??= 0;
    },
  },
) {}

class SpecBeta extends t.message('apps/v1beta1.StatefulSetSpec', { ...statefulSetFields, updateStrategy: t.one(7, StrategyBeta) }, { defaults: nameClaims }) {}

/** The form before v1beta2, in which pods are replaced once somebody deletes them. */
export class StatefulSetV1Beta1 extends t.message('apps/v1beta1.StatefulSet', { spec: t.one(2, SpecBeta), status: t.one(3, StatefulSetStatus) }) {}
