import { LabelSelector } from '#api';
import { t, type MessageClass } from '#schema';
import { targetReference, type TargetReference } from './target-reference.ts';

/** Metrics in the form of older versions: names and amounts side by side, without a target type. */
export interface FlatMetricSpec {
  type: string;
  object?: { target: TargetReference; metricName: string; targetValue: string; selector?: LabelSelector; averageValue?: string };
  pods?: { metricName: string; targetAverageValue: string; selector?: LabelSelector };
  resource?: { name: string; targetAverageUtilization?: number; targetAverageValue?: string };
  containerResource?: { name: string; targetAverageUtilization?: number; targetAverageValue?: string; container: string };
  external?: { metricName: string; metricSelector?: LabelSelector; targetValue?: string; targetAverageValue?: string };
}

export interface FlatMetricStatus {
  type: string;
  object?: { target: TargetReference; metricName: string; currentValue: string; selector?: LabelSelector; averageValue?: string };
  pods?: { metricName: string; currentAverageValue: string; selector?: LabelSelector };
  resource?: { name: string; currentAverageUtilization?: number; currentAverageValue: string };
  containerResource?: { name: string; currentAverageUtilization?: number; currentAverageValue: string; container: string };
  external?: { metricName: string; metricSelector?: LabelSelector; currentValue: string; currentAverageValue?: string };
}

const name = (of: string): string => `autoscaling/v2beta1.${of}`;
const reference = targetReference('v2beta1');

const resource = { name: t.string(1).required(), targetAverageUtilization: t.maybe.int32(2), targetAverageValue: t.maybe.quantity(3) };
const resourceStatus = { name: t.string(1).required(), currentAverageUtilization: t.maybe.int32(2), currentAverageValue: t.quantity(3).required() };

const objectSource = t.message(name('ObjectMetricSource'), {
  target: t.one(1, reference).required(),
  metricName: t.string(2).required(),
  targetValue: t.quantity(3).required(),
  selector: t.perhaps(4, LabelSelector),
  averageValue: t.maybe.quantity(5),
});

const podsSource = t.message(name('PodsMetricSource'), {
  metricName: t.string(1).required(),
  targetAverageValue: t.quantity(2).required(),
  selector: t.perhaps(3, LabelSelector),
});

const externalSource = t.message(name('ExternalMetricSource'), {
  metricName: t.string(1).required(),
  metricSelector: t.perhaps(2, LabelSelector),
  targetValue: t.maybe.quantity(3),
  targetAverageValue: t.maybe.quantity(4),
});

const objectStatus = t.message(name('ObjectMetricStatus'), {
  target: t.one(1, reference).required(),
  metricName: t.string(2).required(),
  currentValue: t.quantity(3).required(),
  selector: t.perhaps(4, LabelSelector),
  averageValue: t.maybe.quantity(5),
});

const podsStatus = t.message(name('PodsMetricStatus'), {
  metricName: t.string(1).required(),
  currentAverageValue: t.quantity(2).required(),
  selector: t.perhaps(3, LabelSelector),
});

const externalStatus = t.message(name('ExternalMetricStatus'), {
  metricName: t.string(1).required(),
  metricSelector: t.perhaps(2, LabelSelector),
  currentValue: t.quantity(3).required(),
  currentAverageValue: t.maybe.quantity(4),
});

export const flatMetricSpec: MessageClass<FlatMetricSpec> = t.message(name('MetricSpec'), {
  type: t.string(1).required(),
  object: t.perhaps(2, objectSource),
  pods: t.perhaps(3, podsSource),
  resource: t.perhaps(4, t.message(name('ResourceMetricSource'), resource)),
  containerResource: t.perhaps(7, t.message(name('ContainerResourceMetricSource'), { ...resource, container: t.string(4).required() })),
  external: t.perhaps(5, externalSource),
});

export const flatMetricStatus: MessageClass<FlatMetricStatus> = t.message(name('MetricStatus'), {
  type: t.string(1).required(),
  object: t.perhaps(2, objectStatus),
  pods: t.perhaps(3, podsStatus),
  resource: t.perhaps(4, t.message(name('ResourceMetricStatus'), resourceStatus)),
  containerResource: t.perhaps(7, t.message(name('ContainerResourceMetricStatus'), { ...resourceStatus, container: t.string(4).required() })),
  external: t.perhaps(5, externalStatus),
});
