import type { ApiObject, Brand, KindObject } from '#api';
import { fillCpu, type BodyV1, type BodyV2, type BodyV2beta1, type BodyV2beta2, type SpecV2 } from './autoscaler-bodies.ts';
import { flattenSpec, flattenStatus, unfoldSpec, unfoldStatus } from './flatten-metrics.ts';
import { dropAnnotations, keepInAnnotations, takeFromAnnotations } from './kept-annotations.ts';
import type { MetricSpec, MetricStatus } from './metrics.ts';

type V2 = KindObject<BodyV2>;
type Status = V2['status'];

/** The common fields of all objects, in the order in which they are encoded. */
const headOf = ({ kind, apiVersion, metadata }: ApiObject): ApiObject => ({ kind, apiVersion, metadata });

interface Counts {
  readonly observedGeneration?: number | bigint;
  readonly lastScaleTime?: string;
  readonly currentReplicas?: number;
  readonly desiredReplicas: number;
}

function countsOf({ observedGeneration, lastScaleTime, desiredReplicas }: Counts): Pick<Status, 'observedGeneration' | 'lastScaleTime' | 'desiredReplicas'> {
  return {
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
    desiredReplicas,
  };
}

const seenOf = ({ currentReplicas = 0 }: Counts): { currentReplicas?: number } => (currentReplicas === 0 ? {} : { currentReplicas });

const listed = <T>(items: readonly T[] | null | undefined): { readonly conditions?: T[] } => (items === undefined || items === null ? {} : { conditions: [...items] });

/** `v2` has all fields. */
export function cleanV2(object: ApiObject, brand: Brand): ApiObject {
  dropAnnotations(object.metadata, brand);
  return object;
}

export function upFromV2beta2(object: ApiObject, brand: Brand): ApiObject {
  const { spec, status } = object as KindObject<BodyV2beta2>;
  dropAnnotations(object.metadata, brand);
  const { currentMetrics, conditions } = status;
  return { ...headOf(object), spec, status: { ...countsOf(status), ...seenOf(status), currentMetrics, ...listed(conditions) } } as V2;
}

export function downToV2beta2(object: ApiObject, brand: Brand): ApiObject {
  const { spec, status } = object as V2;
  dropAnnotations(object.metadata, brand);
  const { currentReplicas = 0, currentMetrics, conditions = null } = status;
  return { ...headOf(object), spec, status: { ...countsOf(status), currentReplicas, currentMetrics, conditions } } as KindObject<BodyV2beta2>;
}

/** Converts v2beta1, which has metrics and conditions but no behavior. */
export function upFromV2beta1(object: ApiObject, brand: Brand): ApiObject {
  const { spec, status } = object as KindObject<BodyV2beta1>;
  const { behavior } = takeFromAnnotations(object.metadata, brand);
  const { metrics, ...rest } = spec;
  const { currentMetrics, conditions } = status;
  return {
    ...headOf(object),
    spec: { ...rest, ...(metrics ? { metrics: metrics.map(unfoldSpec) } : {}), ...(behavior ? { behavior } : {}) },
    status: { ...countsOf(status), ...seenOf(status), currentMetrics: currentMetrics?.map(unfoldStatus) ?? null, ...listed(conditions) },
  } as V2;
}

export function downToV2beta1(object: ApiObject, brand: Brand): ApiObject {
  const { spec, status } = object as V2;
  const { metrics, behavior, ...rest } = spec;
  const { currentReplicas = 0, currentMetrics, conditions = null } = status;
  dropAnnotations(object.metadata, brand);
  keepInAnnotations(object.metadata, behavior ? { behavior } : {}, brand);
  return {
    ...headOf(object),
    spec: { ...rest, ...(metrics ? { metrics: metrics.map(flattenSpec) } : {}) },
    status: { ...countsOf(status), currentReplicas, currentMetrics: currentMetrics?.map(flattenStatus) ?? null, conditions },
  } as KindObject<BodyV2beta1>;
}

const isCpuTarget = ({ type, resource }: MetricSpec): boolean =>
  type === 'Resource' && resource?.name === 'cpu' && resource.target.averageUtilization !== undefined;

const isCpuSeen = ({ type, resource }: MetricStatus): boolean =>
  type === 'Resource' && resource?.name === 'cpu' && resource.current.averageUtilization !== undefined;

const cpuTarget = (averageUtilization: number): MetricSpec => ({ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } });
const cpuSeen = (averageUtilization: number): MetricStatus => ({ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization } } });

/** Converts v1, which has a single metric: CPU utilization. */
export function upFromV1(object: ApiObject, brand: Brand): ApiObject {
  const { spec, status } = object as KindObject<BodyV1>;
  const kept = takeFromAnnotations(object.metadata, brand);
  const { targetCPUUtilizationPercentage: target, ...rest } = spec;
  const { currentCPUUtilizationPercentage: seen } = status;
  const next: SpecV2 = {
    ...rest,
    metrics: [...(kept.metrics ?? []).map(unfoldSpec), ...(target === undefined ? [] : [cpuTarget(target)])],
    ...(kept.behavior ? { behavior: kept.behavior } : {}),
  };
  fillCpu(next);
  const currentMetrics = kept.currentMetrics?.map(unfoldStatus) ?? (seen === undefined ? null : [cpuSeen(seen)]);
  return { ...headOf(object), spec: next, status: { ...countsOf(status), ...seenOf(status), currentMetrics, ...listed(kept.conditions) } } as V2;
}

export function downToV1(object: ApiObject, brand: Brand): ApiObject {
  const { spec, status } = object as V2;
  const { metrics = [], behavior, ...rest } = spec;
  const { currentReplicas = 0, currentMetrics, conditions } = status;
  const cpu = metrics.find(isCpuTarget);
  const target = cpu?.resource?.target.averageUtilization;
  const seen = currentMetrics?.findLast(isCpuSeen)?.resource?.current.averageUtilization;
  dropAnnotations(object.metadata, brand);
  const kept = {
    metrics: metrics.filter((metric) => !isCpuTarget(metric)).map(flattenSpec),
    currentMetrics: (currentMetrics ?? []).map(flattenStatus),
    ...(conditions ? { conditions } : {}),
    ...(behavior ? { behavior } : {}),
  };
  keepInAnnotations(object.metadata, kept, brand);
  return {
    ...headOf(object),
    spec: { ...rest, ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }) },
    status: { ...countsOf(status), currentReplicas, ...(seen === undefined ? {} : { currentCPUUtilizationPercentage: seen }) },
  } as KindObject<BodyV1>;
}

/**
 * Normalizes what every version can express: the first CPU utilization only, last, target types as their values imply, and no list of conditions where
 * there are none: only the older versions write one that is empty. Changes `object`.
 */
export function settleAutoscaler({ spec, status }: { spec: V2['spec']; status: V2['status'] }): void {
  const metrics = (spec.metrics ?? []).map((metric) => unfoldSpec(flattenSpec(metric)));
  spec.metrics = [...metrics.filter((metric) => !isCpuTarget(metric)), ...metrics.filter(isCpuTarget).slice(0, 1)];
  if (status.currentMetrics !== null) status.currentMetrics = status.currentMetrics.map((metric) => unfoldStatus(flattenStatus(metric)));
  if (status.conditions?.length === 0) delete status.conditions;
}
