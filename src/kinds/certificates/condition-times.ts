import { formatTime } from '#schema';
import type { Status } from './certificate-request-messages.ts';

/** Fills the times that a writer of conditions left out: a condition is updated now, and has been as it is since it was first so. Changes `next`. */
export function fillConditionTimes(next: Status, live: Status, nowMs: number): void {
  const now = formatTime(nowMs);
  for (const condition of next.conditions ?? []) {
    const before = live.conditions?.find(({ type, status, lastTransitionTime }) => type === condition.type && status === condition.status && lastTransitionTime);
    condition.lastTransitionTime ??= before?.lastTransitionTime ?? now;
    condition.lastUpdateTime ??= now;
  }
}
