import type { Brand } from '#api';
import { BASELINE } from './baseline.ts';
import type { Standard } from './level.ts';
import type { PodLike } from './pod-like.ts';
import { RESTRICTED } from './restricted.ts';
import type { Check, Rule, Violation } from './rule.ts';

/** What in a pod violates a standard, rule by rule: those of the baseline first. */
export function violationsOf(standard: Standard, pod: PodLike, brand: Brand): readonly Violation[] {
  return checksOf(standard).flatMap((check) => check(pod, brand) ?? []);
}

/** Headlines with details: `host namespaces (hostPID=true), privileged (…)`. */
export const inDetail = (violations: readonly Violation[]): string => violations.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');

/** Headlines alone. */
export const inShort = (violations: readonly Violation[]): string => violations.map(({ reason }) => reason).join(', ');

/** Where a stricter rule says the same again, both are said, as version 1.23 does. */
function checksOf({ level, version }: Standard): readonly Check[] {
  if (level === 'privileged') return [];
  const minor = version === 'latest' ? Number.POSITIVE_INFINITY : version;
  const rules = level === 'restricted' ? [...BASELINE, ...RESTRICTED] : BASELINE;
  return rules.flatMap((rule) => checkAt(rule, minor) ?? []);
}

/** The newest check that the version knows. */
const checkAt = ({ since }: Rule, minor: number): Check | undefined => since.findLast(([from]) => from <= minor)?.[1];
