import type { Brand, WellKnownName } from '#api';

/**
 * A rule: verbs and non-resource paths, or verbs, groups in neutral form (`core` is the one without a name), resources, and resource names where only
 * some are meant.
 */
export type RuleRow =
  | readonly [verbs: string, paths: string]
  | readonly [verbs: string, groups: string, resources: string]
  | readonly [verbs: string, groups: string, resources: string, names: string];

/** A role. `{key}` in texts stands for a well-known name. */
export interface RoleRow {
  readonly namespace?: string;
  readonly name: string;
  readonly into?: string;
  readonly from?: string;
  readonly rules: readonly RuleRow[];
}

/** A binding. `role`: absent where it has the name of the binding. `to`: subjects as kind and name. */
export interface BindingRow {
  readonly namespace?: string;
  readonly name: string;
  readonly role?: string;
  readonly to: readonly string[];
}

/** Replaces each `{key}` by the well-known name. */
export const spelled = (text: string, { names }: Brand): string =>
  text.replace(/\{(\w+)\}/g, (whole, key: string) => (Object.hasOwn(names, key) ? names[key as WellKnownName] : whole));
