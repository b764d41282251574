import type { ApiObject, ObjectMeta } from '#api';
import { POD_PLACES, type PodSpec } from '#kinds';

/** A pod or a pod template. */
export interface PodLike {
  readonly metadata: Pick<ObjectMeta, 'annotations'>;
  readonly spec: PodSpec;
}

/** Group (in neutral form) and resource of all kinds with a pod or pod template. */
export const KINDS_WITH_PODS: readonly string[] = Object.keys(POD_PLACES);

/** The pod or pod template of an object; undefined: it has none. */
export function podIn(object: ApiObject, path: string): PodLike | undefined {
  const found = (POD_PLACES[path] ?? []).reduce<unknown>((value, member) => (typeof value === 'object' && value !== null ? Reflect.get(value, member) : undefined), object);
  const pod = found as Partial<PodLike> | undefined;
  return pod?.spec === undefined ? undefined : { metadata: pod.metadata ?? {}, spec: pod.spec };
}
