import { LabelSelector } from '#api';
import { t, type MessageClass } from '#schema';
import { targetReference, type TargetReference } from './target-reference.ts';

/** The target of a metric; amounts are quantities. */
export interface MetricTarget {
  type: string;
  value?: string;
  averageValue?: string;
  averageUtilization?: number;
}

export interface MetricIdentifier {
  name: string;
  selector?: LabelSelector;
}

/** The sources of metrics by type. `M` is the desired target or the current value. */
export interface MetricSources<M> {
  object?: { describedObject: TargetReference; metric: MetricIdentifier } & M;
  pods?: { metric: MetricIdentifier } & M;
  resource?: { name: string } & M;
  containerResource?: { name: string; container: string } & M;
  external?: { metric: MetricIdentifier } & M;
}

export type MetricSpec = { type: string } & MetricSources<{ target: MetricTarget }>;
export type MetricValue = Omit<MetricTarget, 'type'>;
export type MetricStatus = { type: string } & MetricSources<{ current: MetricValue }>;

interface MetricMessages {
  readonly spec: MessageClass<MetricSpec>;
  readonly status: MessageClass<MetricStatus>;
}

/** The messages of v2 and v2beta2: the same fields, under the names of each version. */
export function metricMessages(version: 'v2' | 'v2beta2'): MetricMessages {
  const name = (of: string): string => `autoscaling/${version}.${of}`;
  const reference = targetReference(version);
  const identifier = t.message(name('MetricIdentifier'), { name: t.string(1).required(), selector: t.perhaps(2, LabelSelector) });
  const target = t.message(name('MetricTarget'), {
    type: t.string(1).required(),
    value: t.maybe.quantity(2),
    averageValue: t.maybe.quantity(3),
    averageUtilization: t.maybe.int32(4),
  });
  const value = t.message(name('MetricValueStatus'), {
    value: t.maybe.quantity(1),
    averageValue: t.maybe.quantity(2),
    averageUtilization: t.maybe.int32(3),
  });
  const spec = t.message(name('MetricSpec'), {
    type: t.string(1).required(),
    object: t.perhaps(2, t.message(name('ObjectMetricSource'), { describedObject: t.one(1, reference).required(), target: t.one(2, target).required(), metric: t.one(3, identifier).required() })),
    pods: t.perhaps(3, t.message(name('PodsMetricSource'), { metric: t.one(1, identifier).required(), target: t.one(2, target).required() })),
    resource: t.perhaps(4, t.message(name('ResourceMetricSource'), { name: t.string(1).required(), target: t.one(2, target).required() })),
    containerResource: t.perhaps(7, t.message(name('ContainerResourceMetricSource'), { name: t.string(1).required(), target: t.one(2, target).required(), container: t.string(3).required() })),
    external: t.perhaps(5, t.message(name('ExternalMetricSource'), { metric: t.one(1, identifier).required(), target: t.one(2, target).required() })),
  });
  const status = t.message(name('MetricStatus'), {
    type: t.string(1).required(),
    object: t.perhaps(2, t.message(name('ObjectMetricStatus'), { metric: t.one(1, identifier).required(), current: t.one(2, value).required(), describedObject: t.one(3, reference).required() })),
    pods: t.perhaps(3, t.message(name('PodsMetricStatus'), { metric: t.one(1, identifier).required(), current: t.one(2, value).required() })),
    resource: t.perhaps(4, t.message(name('ResourceMetricStatus'), { name: t.string(1).required(), current: t.one(2, value).required() })),
    containerResource: t.perhaps(7, t.message(name('ContainerResourceMetricStatus'), { name: t.string(1).required(), current: t.one(2, value).required(), container: t.string(3).required() })),
    external: t.perhaps(5, t.message(name('ExternalMetricStatus'), { metric: t.one(1, identifier).required(), current: t.one(2, value).required() })),
  });
  return { spec, status };
}
