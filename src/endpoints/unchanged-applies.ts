import type { ApiObject } from '#api';

/** Everything that an apply depends on beside the object it is applied to. */
export interface AppliedBefore {
  /** As it was sent. */
  readonly body: Uint8Array;
  readonly manager: string;
  readonly isForced: boolean;
  /** With its schema: another one when that changes. */
  readonly served: object;
  readonly subresource: string;
}

/** Longer ones are not kept. */
const MAX_BODY_BYTES = 64 * 1024;

/** By the live object, which never changes: the last apply that would have left it as it is. */
const last = new WeakMap<ApiObject, AppliedBefore>();

/** Whether this very apply was found to change nothing about this very object. */
export function changedNothing(live: ApiObject, asked: AppliedBefore): boolean {
  const before = last.get(live);
  return (
    before !== undefined &&
    before.manager === asked.manager &&
    before.isForced === asked.isForced &&
    before.served === asked.served &&
    before.subresource === asked.subresource &&
    Buffer.compare(before.body, asked.body) === 0
  );
}

/** To be called when an apply was found to change nothing. */
export function remember(live: ApiObject, applied: AppliedBefore): void {
  if (applied.body.length <= MAX_BODY_BYTES) last.set(live, applied);
}
