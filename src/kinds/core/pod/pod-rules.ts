import type { Brand, HookContext } from '#api';
import type { PodSpec } from './pod-spec.ts';

/** The configuration that validation of pods depends on. */
export interface PodRules {
  readonly brand: Brand;
  /** Whether containers may be privileged. */
  readonly allowsPrivileged: boolean;
  /** The stored spec of a pod or template that is updated. What it uses of features that are off stays valid. */
  readonly live?: PodSpec;
}

/** The rules from the context of a request. `live`: as in the rules. */
export const podRulesOf = ({ brand, allowsPrivileged = false }: HookContext, live?: PodSpec): PodRules => ({ brand, allowsPrivileged, ...(live && { live }) });
