import { isDeepEqual } from '#base';
import type { FieldErrors } from '#errors';
import type { PodSecurityPolicy } from '#kinds';

type Rule = PodSecurityPolicy['spec']['seLinux'];
type Labels = Rule['seLinuxOptions'];

/** Reports SELinux options that a rule does not allow. */
export function checkLabels({ rule, seLinuxOptions: wanted }: Rule, labels: Labels, at: FieldErrors): void {
  if (rule !== 'MustRunAs') return;
  if (!labels) {
    at.required();
    return;
  }
  for (const member of ['level', 'role', 'type', 'user'] as const) {
    const [must, is] = [wanted?.[member] ?? '', labels[member] ?? ''];
    const isSame = member === 'level' ? isSameLevel(must, is) : must === is;
    if (!isSame) at.child(member).invalid(is, `must be ${must}`);
  }
}

/** Levels are the same whatever the order of their categories, as in `s0:c1,c2`. */
function isSameLevel(one: string, other: string): boolean {
  if (one === other) return true;
  const [sensitivity, categories] = partsOf(one);
  const [otherSensitivity, otherCategories] = partsOf(other);
  return categories !== undefined && otherCategories !== undefined && sensitivity === otherSensitivity && isDeepEqual(categories, otherCategories);
}

function partsOf(level: string): readonly [sensitivity: string, categories?: readonly string[]] {
  const at = level.indexOf(':');
  return at < 0 ? [level] : [level.slice(0, at), level.slice(at + 1).split(',').sort()];
}
