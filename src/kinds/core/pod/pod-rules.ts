import type { Brand, HookContext } from '#api';

/** The configuration that validation of pods depends on. */
export interface PodRules {
  readonly brand: Brand;
  /** Whether containers may be privileged. */
  readonly allowsPrivileged: boolean;
}

/** The rules from the context of a request. */
export const podRulesOf = ({ brand, allowsPrivileged = false }: HookContext): PodRules => ({ brand, allowsPrivileged });
