import { LabelSelector } from '#api';
import { t } from '#schema';
import { PodTemplateSpec } from '../core/pod/pod-template.ts';

export class ReplicaSetSpec extends t.message('apps/v1.ReplicaSetSpec', {
  replicas: t.maybe.int32(1).default(1),
  minReadySeconds: t.int32(4),
  selector: t.perhaps(2, LabelSelector).required(),
  template: t.one(3, PodTemplateSpec),
}) {}

export class ReplicaSetCondition extends t.message('apps/v1.ReplicaSetCondition', {
  type: t.string(1).required(),
  status: t.string(2).required(),
  lastTransitionTime: t.time(3),
  reason: t.string(4),
  message: t.string(5),
}) {}

export class ReplicaSetStatus extends t.message('apps/v1.ReplicaSetStatus', {
  replicas: t.int32(1).required(),
  fullyLabeledReplicas: t.int32(2),
  readyReplicas: t.int32(4),
  availableReplicas: t.int32(5),
  observedGeneration: t.int64(3),
  conditions: t.many(6, ReplicaSetCondition).mergeBy('type'),
}) {}
