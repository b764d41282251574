import type { FieldErrors } from '#errors';

const FORM = '([a-z0-9]([-_a-z0-9]*[a-z0-9])?\\.)*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]';
const PATTERN = new RegExp(`^${FORM}$`);
const MAX_LENGTH = 253;

/** Validates patterns: names of kernel settings, or prefixes of names followed by `*`. */
export function validateSysctlPatterns(patterns: readonly string[], at: FieldErrors): void {
  for (const [position, pattern] of patterns.entries()) {
    const here = at.index(position);
    if (pattern === '') here.invalid(pattern, 'empty sysctl not allowed');
    else if (pattern.length > MAX_LENGTH || !PATTERN.test(pattern)) {
      here.invalid(pattern, `must have at most ${MAX_LENGTH} characters and match regex ${FORM}`);
    }
  }
  if (patterns.includes('*') && patterns.length > 1) at.child('items').forbidden(`if '*' is present, must not specify other sysctls`);
}

/** Reports settings that are both allowed and forbidden, at the narrower pattern. */
export function validateDistinctPatterns(allowed: readonly string[], forbidden: readonly string[], at: FieldErrors): void {
  for (const [i, one] of allowed.entries()) {
    for (const [j, other] of forbidden.entries()) {
      if (covers(other, one)) at.child('allowedUnsafeSysctls').index(i).invalid(one, `sysctl overlaps with ${other}`);
      else if (covers(one, other)) at.child('forbiddenSysctls').index(j).invalid(other, `sysctl overlaps with ${one}`);
    }
  }
}

/** Whether every name that matches `narrow` matches `wide`. */
function covers(wide: string, narrow: string): boolean {
  if (!wide.endsWith('*')) return wide === narrow;
  return (narrow.endsWith('*') ? narrow.slice(0, -1) : narrow).startsWith(wide.slice(0, -1));
}
