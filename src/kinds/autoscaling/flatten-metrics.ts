import type { LabelSelector } from '#api';
import type { FlatMetricSpec, FlatMetricStatus } from './flat-metrics.ts';
import type { MetricSpec, MetricStatus, MetricTarget, MetricValue } from './metrics.ts';

/**
 * Conversions between the two forms of metrics. Where the older form requires a quantity that is absent, it has 0.
 * Absent members stay absent, so that both results are in normal form.
 */
const ZERO = '0';

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that are not undefined. */
function given<T extends object>(members: T): Given<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Given<T>;
}

const select = (name: string, selector: LabelSelector | undefined): { name: string; selector?: LabelSelector } => ({ name, ...given({ selector }) });

export function flattenSpec({ type, object, pods, resource, containerResource, external }: MetricSpec): FlatMetricSpec {
  const flat: FlatMetricSpec = { type };
  if (object) {
    const { describedObject: target, metric, target: amount } = object;
    flat.object = { target, metricName: metric.name, targetValue: amount.value ?? ZERO, ...given({ selector: metric.selector, averageValue: amount.averageValue }) };
  }
  if (pods) flat.pods = { metricName: pods.metric.name, targetAverageValue: pods.target.averageValue ?? ZERO, ...given({ selector: pods.metric.selector }) };
  if (resource) flat.resource = { name: resource.name, ...flattenResource(resource.target) };
  if (containerResource) flat.containerResource = { name: containerResource.name, ...flattenResource(containerResource.target), container: containerResource.container };
  if (external) {
    const { metric, target } = external;
    flat.external = { metricName: metric.name, ...given({ metricSelector: metric.selector, targetValue: target.value, targetAverageValue: target.averageValue }) };
  }
  return flat;
}

const flattenResource = ({ averageUtilization, averageValue }: MetricTarget): { targetAverageUtilization?: number; targetAverageValue?: string } =>
  given({ targetAverageUtilization: averageUtilization, targetAverageValue: averageValue });

export function unfoldSpec({ type, object, pods, resource, containerResource, external }: FlatMetricSpec): MetricSpec {
  const metric: MetricSpec = { type };
  if (object) {
    const { target, metricName, targetValue: value, selector, averageValue } = object;
    // A value is always there, and 0 where none was sent: with an average alone no update passes validation until it sets a value, as in 1.23.
    metric.object = { describedObject: target, target: unfoldTarget({ value, averageValue }), metric: select(metricName, selector) };
  }
  if (pods) metric.pods = { metric: select(pods.metricName, pods.selector), target: { type: 'AverageValue', averageValue: pods.targetAverageValue } };
  if (resource) metric.resource = { name: resource.name, target: unfoldResource(resource) };
  if (containerResource) metric.containerResource = { name: containerResource.name, target: unfoldResource(containerResource), container: containerResource.container };
  if (external) {
    const { metricName, metricSelector, targetValue: value, targetAverageValue: averageValue } = external;
    const isAverage = value === undefined;
    metric.external = { metric: select(metricName, metricSelector), target: { type: isAverage ? 'AverageValue' : 'Value', ...given({ value, averageValue }) } };
  }
  return metric;
}

const unfoldTarget = ({ value, averageValue }: { value: string; averageValue: string | undefined }): MetricTarget => ({
  type: averageValue === undefined ? 'Value' : 'AverageValue',
  ...given({ value, averageValue }),
});

interface FlatResource {
  readonly targetAverageUtilization?: number;
  readonly targetAverageValue?: string;
}

const unfoldResource = ({ targetAverageUtilization: averageUtilization, targetAverageValue: averageValue }: FlatResource): MetricTarget => ({
  type: averageUtilization === undefined ? 'AverageValue' : 'Utilization',
  ...given({ averageValue, averageUtilization }),
});

export function flattenStatus({ type, object, pods, resource, containerResource, external }: MetricStatus): FlatMetricStatus {
  const flat: FlatMetricStatus = { type };
  if (object) {
    const { describedObject: target, metric, current } = object;
    flat.object = { target, metricName: metric.name, currentValue: current.value ?? ZERO, ...given({ selector: metric.selector, averageValue: current.averageValue }) };
  }
  if (pods) flat.pods = { metricName: pods.metric.name, currentAverageValue: pods.current.averageValue ?? ZERO, ...given({ selector: pods.metric.selector }) };
  if (resource) flat.resource = { name: resource.name, ...flattenCurrent(resource.current) };
  if (containerResource) flat.containerResource = { name: containerResource.name, ...flattenCurrent(containerResource.current), container: containerResource.container };
  if (external) {
    const { metric, current } = external;
    flat.external = { metricName: metric.name, ...given({ metricSelector: metric.selector }), currentValue: current.value ?? ZERO, ...given({ currentAverageValue: current.averageValue }) };
  }
  return flat;
}

const flattenCurrent = ({ averageUtilization, averageValue = ZERO }: MetricValue): FlatCurrent => ({
  ...given({ currentAverageUtilization: averageUtilization }),
  currentAverageValue: averageValue,
});

export function unfoldStatus({ type, object, pods, resource, containerResource, external }: FlatMetricStatus): MetricStatus {
  const metric: MetricStatus = { type };
  if (object) {
    const { target, metricName, currentValue: value, selector, averageValue } = object;
    metric.object = { metric: select(metricName, selector), current: { value, ...given({ averageValue }) }, describedObject: target };
  }
  if (pods) metric.pods = { metric: select(pods.metricName, pods.selector), current: { averageValue: pods.currentAverageValue } };
  if (resource) metric.resource = { name: resource.name, current: unfoldCurrent(resource) };
  if (containerResource) metric.containerResource = { name: containerResource.name, current: unfoldCurrent(containerResource), container: containerResource.container };
  if (external) {
    const { metricName, metricSelector, currentValue: value, currentAverageValue: averageValue } = external;
    metric.external = { metric: select(metricName, metricSelector), current: { value, ...given({ averageValue }) } };
  }
  return metric;
}

interface FlatCurrent {
  readonly currentAverageUtilization?: number;
  readonly currentAverageValue: string;
}

const unfoldCurrent = ({ currentAverageUtilization: averageUtilization, currentAverageValue: averageValue }: FlatCurrent): MetricValue => ({
  averageValue,
  ...given({ averageUtilization }),
});
