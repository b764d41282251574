import type { Brand, WellKnownName } from '#api';

/**
 * About paths: verbs, paths. About resources: verbs, groups in neutral form (`core` is the one without a name), resources, and names where
 * only some are meant.
 */
export type RuleRow =
  | readonly [verbs: string, paths: string]
  | readonly [verbs: string, groups: string, resources: string]
  | readonly [verbs: string, groups: string, resources: string, names: string];

/** `{key}` stands for a well-known name. */
export interface RoleRow {
  readonly namespace?: string;
  readonly name: string;
  readonly into?: string;
  readonly from?: string;
  readonly rules: readonly RuleRow[];
}

/** `role`: absent where it has the name of the binding. `to`: kind and name. */
export interface BindingRow {
  readonly namespace?: string;
  readonly name: string;
  readonly role?: string;
  readonly to: readonly string[];
}

/** Puts well-known names where a row says `{key}`. */
export const spelled = (text: string, { names }: Brand): string =>
  text.replace(/\{(\w+)\}/g, (whole, key: string) => (Object.hasOwn(names, key) ? names[key as WellKnownName] : whole));
