import { firstBy } from '#base';
import { formatTime } from '#schema';
import type { Condition, Status } from './certificate-request-messages.ts';

/** Sets missing times of conditions: the update time is now, the transition time that of the stored condition with equal status. Changes `next`. */
export function fillConditionTimes(next: Status, live: Status, nowMs: number): void {
  const now = formatTime(nowMs);
  const stateOf = ({ type, status }: Condition): string => JSON.stringify([type, status]);
  const timed = firstBy((live.conditions ?? []).filter(({ lastTransitionTime }) => lastTransitionTime), stateOf);
  for (const condition of next.conditions ?? []) {
    condition.lastTransitionTime ??= timed.get(stateOf(condition))?.lastTransitionTime ?? now;
    condition.lastUpdateTime ??= now;
  }
}
