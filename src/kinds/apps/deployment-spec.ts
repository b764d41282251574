import { LabelSelector } from '#api';
import { t } from '#schema';
import { PodTemplateSpec } from '../core/pod/pod-template.ts';

export class RollingUpdateDeployment extends t.message('apps/v1.RollingUpdateDeployment', {
  maxUnavailable: t.maybe.intOrString(1).default('25%'),
  maxSurge: t.maybe.intOrString(2).default('25%'),
}) {}

export class DeploymentStrategy extends t.message(
  'apps/v1.DeploymentStrategy',
  {
    type: t.string(1).default('RollingUpdate'),
    rollingUpdate: t.perhaps(2, RollingUpdateDeployment),
  },
  {
    defaults(strategy) {
      if (strategy.type === 'RollingUpdate') strategy.rollingUpdate ??= {};
    },
  },
) {}

/** Former versions say other defaults for some of them. */
export const deploymentFields = {
  replicas: t.maybe.int32(1).default(1),
  selector: t.perhaps(2, LabelSelector).required(),
  template: t.one(3, PodTemplateSpec).required(),
  strategy: t.one(4, DeploymentStrategy).retainKeys(),
  minReadySeconds: t.int32(5),
  revisionHistoryLimit: t.maybe.int32(6).default(10),
  paused: t.bool(7),
  progressDeadlineSeconds: t.maybe.int32(9).default(600),
};

export class DeploymentSpec extends t.message('apps/v1.DeploymentSpec', deploymentFields) {}

export class DeploymentCondition extends t.message('apps/v1.DeploymentCondition', {
  type: t.string(1).required(),
  status: t.string(2).required(),
  lastUpdateTime: t.time(6),
  lastTransitionTime: t.time(7),
  reason: t.string(4),
  message: t.string(5),
}) {}

export class DeploymentStatus extends t.message('apps/v1.DeploymentStatus', {
  observedGeneration: t.int64(1),
  replicas: t.int32(2),
  updatedReplicas: t.int32(3),
  readyReplicas: t.int32(7),
  availableReplicas: t.int32(4),
  unavailableReplicas: t.int32(5),
  conditions: t.many(6, DeploymentCondition).mergeBy('type'),
  collisionCount: t.maybe.int32(8),
}) {}
