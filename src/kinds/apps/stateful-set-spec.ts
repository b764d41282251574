import { LabelSelector } from '#api';
import { t } from '#schema';
import { PodTemplateSpec } from '../core/pod/pod-template.ts';
import { ClaimTemplate } from './claim-template.ts';

export class RollingUpdateStatefulSetStrategy extends t.message('apps/v1.RollingUpdateStatefulSetStrategy', {
  partition: t.maybe.int32(1),
}) {}

export class StatefulSetUpdateStrategy extends t.message(
  'apps/v1.StatefulSetUpdateStrategy',
  {
    type: t.string(1),
    rollingUpdate: t.perhaps(2, RollingUpdateStatefulSetStrategy),
  },
  {
    /** The parameters of a rolling update are defaulted only together with the type. */
    defaults(strategy) {
      if (!strategy.type) {
        strategy.type = 'RollingUpdate';
        strategy.rollingUpdate ??= {};
      }
      if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate !== undefined) strategy.rollingUpdate.partition ??= 0;
    },
  },
) {}

export class ClaimRetentionPolicy extends t.message('apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy', {
  whenDeleted: t.string(1),
  whenScaled: t.string(2),
}) {}

interface Spec {
  volumeClaimTemplates?: ClaimTemplate[];
}

/** Claim templates always have kind and apiVersion, whatever the request contains. */
export function nameClaims({ volumeClaimTemplates = [] }: Spec): void {
  for (const claim of volumeClaimTemplates) {
    claim.kind = 'PersistentVolumeClaim';
    claim.apiVersion = 'v1';
  }
}

export const statefulSetFields = {
  replicas: t.maybe.int32(1).default(1),
  selector: t.perhaps(2, LabelSelector).required(),
  template: t.one(3, PodTemplateSpec).required(),
  volumeClaimTemplates: t.many(4, ClaimTemplate),
  serviceName: t.string(5).required(),
  podManagementPolicy: t.string(6).default('OrderedReady'),
  updateStrategy: t.one(7, StatefulSetUpdateStrategy),
  revisionHistoryLimit: t.maybe.int32(8).default(10),
  minReadySeconds: t.int32(9),
  persistentVolumeClaimRetentionPolicy: t.perhaps(10, ClaimRetentionPolicy),
};

export class StatefulSetSpec extends t.message('apps/v1.StatefulSetSpec', statefulSetFields, { defaults: nameClaims }) {}

export class StatefulSetCondition extends t.message('apps/v1.StatefulSetCondition', {
  type: t.string(1).required(),
  status: t.string(2).required(),
  lastTransitionTime: t.time(3),
  reason: t.string(4),
  message: t.string(5),
}) {}

export class StatefulSetStatus extends t.message('apps/v1.StatefulSetStatus', {
  observedGeneration: t.int64(1),
  replicas: t.int32(2).required(),
  readyReplicas: t.int32(3),
  currentReplicas: t.int32(4),
  updatedReplicas: t.int32(5),
  currentRevision: t.string(6),
  updateRevision: t.string(7),
  collisionCount: t.maybe.int32(9),
  conditions: t.many(10, StatefulSetCondition).mergeBy('type'),
  availableReplicas: t.int32(11).always(),
}) {}
