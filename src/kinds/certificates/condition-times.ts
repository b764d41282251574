import { isDeepEqual } from '#base';
import { formatTime } from '#schema';
import type { Condition, Status } from './certificate-request-messages.ts';

/** Fills the times that a writer of conditions left out: those of the same condition as it was, or now. Changes `next`. */
export function fillConditionTimes(next: Status, live: Status, nowMs: number): void {
  const now = formatTime(nowMs);
  const before = live.conditions ?? [];
  for (const condition of next.conditions ?? []) {
    const same = before.filter(({ type, status }) => type === condition.type && status === condition.status);
    const unchanged = same.filter((one) => isDeepEqual(wordsOf(one), wordsOf(condition)));
    condition.lastTransitionTime ??= same.find(({ lastTransitionTime }) => lastTransitionTime)?.lastTransitionTime ?? now;
    condition.lastUpdateTime ??= unchanged.find(({ lastUpdateTime }) => lastUpdateTime)?.lastUpdateTime ?? now;
  }
}

const wordsOf = ({ reason, message }: Condition): object => ({ reason, message });
