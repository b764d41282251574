import type { FieldErrors } from '#errors';
import { requireNotNegative } from '../value-checks.ts';

/** Checks that the named counters of a status are not negative. */
export function validateCounters<T>(status: T, names: readonly (keyof T & string)[], at: FieldErrors): void {
  for (const name of names) requireNotNegative(status[name] as number | bigint | undefined, at.child(name));
}

interface Collisions {
  readonly collisionCount?: number;
}

/** The count of name collisions must not decrease. */
export function validateCollisionsKept(next: Collisions, live: Collisions, at: FieldErrors): void {
  const before = live.collisionCount;
  const after = next.collisionCount;
  if (before !== undefined && (after === undefined || after < before)) at.child('collisionCount').invalid(after ?? 0, 'cannot be decremented');
}
