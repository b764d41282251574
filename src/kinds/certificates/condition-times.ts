import { formatTime } from '#schema';
import type { Status } from './certificate-request-messages.ts';

/** Sets missing times of conditions: the update time is now, the transition time that of the stored condition with equal status. Changes `next`. */
export function fillConditionTimes(next: Status, live: Status, nowMs: number): void {
  const now = formatTime(nowMs);
  for (const condition of next.conditions ?? []) {
    const before = live.conditions?.find(({ type, status, lastTransitionTime }) => type === condition.type && status === condition.status && lastTransitionTime);
    condition.lastTransitionTime ??= before?.lastTransitionTime ?? now;
    condition.lastUpdateTime ??= now;
  }
}
