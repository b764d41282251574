import { GoValue, type FieldErrors } from '#errors';
import type { PodSecurityPolicy } from '#kinds';

type Id = number | bigint;

interface Range {
  readonly min: Id;
  readonly max: Id;
}

/** A rule about the ids of users or groups: `MustRunAs`, `MayRunAs` (if any), `MustRunAsNonRoot` or `RunAsAny`. */
export interface IdRule {
  readonly rule?: string;
  readonly ranges?: readonly Range[] | null;
}

/** The id that a pod gets where it says none. */
export const defaultId = ({ rule, ranges }: IdRule): Id | undefined => (rule === 'MustRunAs' ? ranges?.[0]?.min : undefined);

export const isInRanges = (id: Id, ranges: IdRule['ranges']): boolean => (ranges ?? []).some(({ min, max }) => id >= min && id <= max);

export const showRanges = (ranges: IdRule['ranges']): string => `[${(ranges ?? []).map(({ min, max }) => `{${min} ${max}}`).join(' ')}]`;

/** Reports groups that a rule does not allow. */
export function checkGroups({ rule, ranges }: IdRule, groups: readonly Id[], at: FieldErrors): void {
  if (rule !== 'MustRunAs' && rule !== 'MayRunAs') return;
  const shown = new GoValue(groups.length === 0 ? '[]int64(nil)' : `[]int64{${groups.join(', ')}}`);
  if (rule === 'MustRunAs' && groups.length === 0) at.invalid(shown, 'unable to validate empty groups against required ranges');
  for (const group of groups) if (!isInRanges(group, ranges)) at.invalid(shown, `group ${group} must be in the ranges: ${showRanges(ranges)}`);
}

/** Whether the rules of a policy say what they need to say: a policy without allows no pod. */
export function isUsable({ spec }: PodSecurityPolicy): boolean {
  const rules: readonly (IdRule | undefined)[] = [spec.runAsUser, spec.runAsGroup, spec.fsGroup, spec.supplementalGroups];
  const lacksRanges = rules.some((one) => (one?.rule === 'MustRunAs' || one?.rule === 'MayRunAs') && (one.ranges ?? []).length === 0);
  return !lacksRanges && (spec.seLinux.rule !== 'MustRunAs' || spec.seLinux.seLinuxOptions !== undefined);
}
