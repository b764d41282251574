import { LabelSelector } from '#api';
import { t } from '#schema';
import { PodTemplateSpec } from '../core/pod/pod-template.ts';
import { ClaimTemplate } from './claim-template.ts';
import { ClaimRetentionPolicy, nameClaims, RollingUpdateStatefulSetStrategy, StatefulSetStatus } from './stateful-set-spec.ts';

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

class SpecBeta extends t.message(
  'apps/v1beta1.StatefulSetSpec',
  {
    replicas: t.maybe.int32(1).default(1),
    selector: t.perhaps(2, LabelSelector),
    template: t.one(3, PodTemplateSpec),
    volumeClaimTemplates: t.many(4, ClaimTemplate),
    serviceName: t.string(5).required(),
    podManagementPolicy: t.string(6).default('OrderedReady'),
    updateStrategy: t.one(7, StrategyBeta),
    revisionHistoryLimit: t.maybe.int32(8).default(10),
    minReadySeconds: t.int32(9),
    persistentVolumeClaimRetentionPolicy: t.perhaps(10, ClaimRetentionPolicy),
  },
  { defaults: nameClaims },
) {}

/** The form before v1beta2, in which pods are replaced once somebody deletes them. */
export class StatefulSetV1Beta1 extends t.message('apps/v1beta1.StatefulSet', { spec: t.one(2, SpecBeta), status: t.one(3, StatefulSetStatus) }) {}
