import type { Brand, HookContext } from '#api';

/** What validation of pods depends on beside the pod itself. */
export interface PodRules {
  readonly brand: Brand;
  /** Whether containers may ask for all rights on their node. */
  readonly allowsPrivileged: boolean;
}

/** The rules of a request. */
export const podRulesOf = ({ brand, allowsPrivileged = false }: HookContext): PodRules => ({ brand, allowsPrivileged });
