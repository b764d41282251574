import type { Brand, HookContext } from '#api';

/** What validation of pods depends on beside the pod itself. */
export interface PodRules {
  readonly brand: Brand;
  /** Whether containers may ask for all rights on their node. */
  readonly allowsPrivileged: boolean;
}

/** The rules of a request. Privileged containers are refused unless the server says otherwise. */
export function podRulesOf(context: HookContext & { readonly allowsPrivileged?: boolean }): PodRules {
  return { brand: context.brand, allowsPrivileged: context.allowsPrivileged ?? false };
}
