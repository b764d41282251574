import type { Brand } from '#api';
import { BASELINE } from './baseline.ts';
import type { Standard } from './level.ts';
import type { PodLike } from './pod-like.ts';
import { RESTRICTED } from './restricted.ts';
import type { Check, Rule, Violation } from './rule.ts';

/** The violations of a standard by a pod, in the order of the rules: those of the baseline first. */
export function violationsOf(standard: Standard, pod: PodLike, brand: Brand): readonly Violation[] {
  return checksOf(standard).flatMap((check) => check(pod, brand) ?? []);
}

/** Reasons with details: `host namespaces (hostPID=true), privileged (…)`. */
export const inDetail = (violations: readonly Violation[]): string => violations.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');

/** Reasons alone. */
export const inShort = (violations: readonly Violation[]): string => violations.map(({ reason }) => reason).join(', ');

/** The checks of a standard. A stricter rule does not replace the baseline rule that it repeats: both are reported, as 1.23 does. */
function checksOf({ level, version }: Standard): readonly Check[] {
  if (level === 'privileged') return [];
  const minor = version === 'latest' ? Number.POSITIVE_INFINITY : version;
  const rules = level === 'restricted' ? [...BASELINE, ...RESTRICTED] : BASELINE;
  return rules.flatMap((rule) => checkAt(rule, minor) ?? []);
}

/** The newest check that exists in this minor version. */
const checkAt = ({ since }: Rule, minor: number): Check | undefined => since.findLast(([from]) => from <= minor)?.[1];
