import { cloneJson } from '#base';
import { t } from '#schema';
import { autoscalerCondition } from './autoscaler-condition.ts';
import { behaviorMessage } from './behavior.ts';
import { flatMetricSpec, flatMetricStatus, type FlatMetricSpec } from './flat-metrics.ts';
import { metricMessages, type MetricSpec } from './metrics.ts';
import { targetReference } from './target-reference.ts';

/** The default metric: CPU utilization. */
const CPU: MetricSpec = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } };
const FLAT_CPU: FlatMetricSpec = { type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 80 } };

function fillMetrics<M>(spec: { metrics?: M[] }, fallback: M): void {
  if ((spec.metrics ?? []).length === 0) spec.metrics = [cloneJson(fallback)];
}

/** Sets the default metric where there is none. */
export const fillCpu = (spec: { metrics?: MetricSpec[] }): void => fillMetrics(spec, CPU);

const v2 = metricMessages('v2');
const v2beta2 = metricMessages('v2beta2');

export class SpecV2 extends t.message(
  'autoscaling/v2.HorizontalPodAutoscalerSpec',
  {
    scaleTargetRef: t.one(1, targetReference('v2')).required(),
    minReplicas: t.maybe.int32(2).default(1),
    maxReplicas: t.int32(3).required(),
    metrics: t.many(4, v2.spec, 'atomic'),
    behavior: t.perhaps(5, behaviorMessage('v2')),
  },
  { defaults: fillCpu },
) {}

export class StatusV2 extends t.message('autoscaling/v2.HorizontalPodAutoscalerStatus', {
  observedGeneration: t.maybe.int64(1),
  lastScaleTime: t.maybe.time(2),
  currentReplicas: t.int32(3),
  desiredReplicas: t.int32(4).required(),
  currentMetrics: t.many(5, v2.status, 'atomic').always(),
  conditions: t.many(6, autoscalerCondition('v2'), { map: ['type'] }).mergeBy('type'),
}) {}

export class BodyV2 extends t.message('autoscaling/v2.HorizontalPodAutoscaler', { spec: t.one(2, SpecV2), status: t.one(3, StatusV2) }) {}

class SpecV2beta2 extends t.message(
  'autoscaling/v2beta2.HorizontalPodAutoscalerSpec',
  {
    scaleTargetRef: t.one(1, targetReference('v2beta2')).required(),
    minReplicas: t.maybe.int32(2).default(1),
    maxReplicas: t.int32(3).required(),
    metrics: t.many(4, v2beta2.spec),
    behavior: t.perhaps(5, behaviorMessage('v2beta2')),
  },
  { defaults: fillCpu },
) {}

class StatusV2beta2 extends t.message('autoscaling/v2beta2.HorizontalPodAutoscalerStatus', {
  observedGeneration: t.maybe.int64(1),
  lastScaleTime: t.maybe.time(2),
  currentReplicas: t.int32(3).required(),
  desiredReplicas: t.int32(4).required(),
  currentMetrics: t.many(5, v2beta2.status).always(),
  conditions: t.many(6, autoscalerCondition('v2beta2')).always(),
}) {}

export class BodyV2beta2 extends t.message('autoscaling/v2beta2.HorizontalPodAutoscaler', {
  spec: t.one(2, SpecV2beta2),
  status: t.one(3, StatusV2beta2),
}) {}

class SpecV2beta1 extends t.message(
  'autoscaling/v2beta1.HorizontalPodAutoscalerSpec',
  {
    scaleTargetRef: t.one(1, targetReference('v2beta1')).required(),
    minReplicas: t.maybe.int32(2).default(1),
    maxReplicas: t.int32(3).required(),
    metrics: t.many(4, flatMetricSpec),
  },
  { defaults: (spec) => fillMetrics(spec, FLAT_CPU) },
) {}

class StatusV2beta1 extends t.message('autoscaling/v2beta1.HorizontalPodAutoscalerStatus', {
  observedGeneration: t.maybe.int64(1),
  lastScaleTime: t.maybe.time(2),
  currentReplicas: t.int32(3).required(),
  desiredReplicas: t.int32(4).required(),
  currentMetrics: t.many(5, flatMetricStatus).always(),
  conditions: t.many(6, autoscalerCondition('v2beta1')).always(),
}) {}

export class BodyV2beta1 extends t.message('autoscaling/v2beta1.HorizontalPodAutoscaler', {
  spec: t.one(2, SpecV2beta1),
  status: t.one(3, StatusV2beta1),
}) {}

class SpecV1 extends t.message('autoscaling/v1.HorizontalPodAutoscalerSpec', {
  scaleTargetRef: t.one(1, targetReference('v1')).required(),
  minReplicas: t.maybe.int32(2).default(1),
  maxReplicas: t.int32(3).required(),
  targetCPUUtilizationPercentage: t.maybe.int32(4),
}) {}

class StatusV1 extends t.message('autoscaling/v1.HorizontalPodAutoscalerStatus', {
  observedGeneration: t.maybe.int64(1),
  lastScaleTime: t.maybe.time(2),
  currentReplicas: t.int32(3).required(),
  desiredReplicas: t.int32(4).required(),
  currentCPUUtilizationPercentage: t.maybe.int32(5),
}) {}

/** The v1 body; fields that it does not have are in annotations. */
export class BodyV1 extends t.message('autoscaling/v1.HorizontalPodAutoscaler', { spec: t.one(2, SpecV1), status: t.one(3, StatusV1) }) {}
