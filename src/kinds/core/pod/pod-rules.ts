import type { Brand, HookContext, ObjectMeta } from '#api';
import type { PodSpec } from './pod-spec.ts';

/** The configuration that validation of pods depends on. */
export interface PodRules {
  readonly brand: Brand;
  /** Whether containers may be privileged. */
  readonly allowsPrivileged: boolean;
  /** The stored spec of a pod or template that is updated. What it uses of features that are off stays valid. */
  readonly live?: PodSpec;
  /** The annotations of that pod or template: what old servers took in them stays valid, too. */
  readonly liveAnnotations?: Readonly<Record<string, string>>;
}

/** A pod, or a template of pods. */
export interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

/** The rules from the context of a request. `live`: the stored pod or template that is updated. */
export const podRulesOf = ({ brand, allowsPrivileged = false }: HookContext, live?: PodLike): PodRules => ({
  brand,
  allowsPrivileged,
  ...(live && { live: live.spec, liveAnnotations: live.metadata.annotations ?? {} }),
});
