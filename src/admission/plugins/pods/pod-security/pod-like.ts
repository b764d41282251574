import type { ApiObject, ObjectMeta } from '#api';
import type { PodSpec } from '#kinds';

/** A pod or a pod template. */
export interface PodLike {
  readonly metadata: Pick<ObjectMeta, 'annotations'>;
  readonly spec: PodSpec;
}

/** The path to the pod or pod template in objects of a kind. */
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

/** Group (in neutral form) and resource of all kinds with a pod or pod template. */
export const KINDS_WITH_PODS: readonly string[] = Object.keys(PLACES);

/** The pod or pod template of an object; undefined: it has none. */
export function podIn(object: ApiObject, path: string): PodLike | undefined {
  const found = (PLACES[path] ?? []).reduce<unknown>((value, member) => (typeof value === 'object' && value !== null ? Reflect.get(value, member) : undefined), object);
  const pod = found as Partial<PodLike> | undefined;
  return pod?.spec === undefined ? undefined : { metadata: pod.metadata ?? {}, spec: pod.spec };
}
