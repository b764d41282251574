import type { ApiObject, ObjectMeta } from '#api';
import type { PodSpec } from '#kinds';

/** A pod, or what pods are made from. */
export interface PodLike {
  readonly metadata: Pick<ObjectMeta, 'annotations'>;
  readonly spec: PodSpec;
}

/** Where in an object of a kind the pod is. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  '/pods': [],
  '/podtemplates': ['template'],
  '/replicationcontrollers': ['spec', 'template'],
  'apps/daemonsets': ['spec', 'template'],
  'apps/deployments': ['spec', 'template'],
  'apps/replicasets': ['spec', 'template'],
  'apps/statefulsets': ['spec', 'template'],
  'batch/cronjobs': ['spec', 'jobTemplate', 'spec', 'template'],
  'batch/jobs': ['spec', 'template'],
};

/** Neutral group and resource of all kinds with a pod in them. */
export const KINDS_WITH_PODS: readonly string[] = Object.keys(PLACES);

/** undefined: this object has no pod in it. */
export function podIn(object: ApiObject, path: string): PodLike | undefined {
  const found = (PLACES[path] ?? []).reduce<unknown>((value, member) => (typeof value === 'object' && value !== null ? Reflect.get(value, member) : undefined), object);
  const pod = found as Partial<PodLike> | undefined;
  return pod?.spec === undefined ? undefined : { metadata: pod.metadata ?? {}, spec: pod.spec };
}
