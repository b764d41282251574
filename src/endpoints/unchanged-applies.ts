import type { ApiObject } from '#api';

/** What the result of an apply depends on, beside the live object. */
export interface AppliedBefore {
  /** As it was sent. */
  readonly body: Uint8Array;
  readonly manager: string;
  readonly isForced: boolean;
  /** The served version; another object once its schema changes. */
  readonly served: object;
  readonly subresource: string;
}

/** Applies with longer bodies are not remembered. */
const MAX_BODY_BYTES = 64 * 1024;

/** The last apply that changed nothing, by the live object, which is immutable. */
const last = new WeakMap<ApiObject, AppliedBefore>();

/** Whether the same apply was found to change nothing about the same live object. */
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

/** Remembers an apply that changed nothing about `live`. */
export function remember(live: ApiObject, applied: AppliedBefore): void {
  if (applied.body.length <= MAX_BODY_BYTES) last.set(live, applied);
}
