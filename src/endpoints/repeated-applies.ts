import type { ApiObject } from '#api';

/** What the result of an apply depends on, beside the live object. */
export interface LastApply {
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
const last = new WeakMap<ApiObject, LastApply>();

/** Whether the same apply was found to change nothing about the same live object. */
export function isRepeated(live: ApiObject, requested: LastApply): boolean {
  const before = last.get(live);
  return (
    before !== undefined &&
    before.manager === requested.manager &&
    before.isForced === requested.isForced &&
    before.served === requested.served &&
    before.subresource === requested.subresource &&
    Buffer.compare(before.body, requested.body) === 0
  );
}

/** Remembers an apply that changed nothing about `live`. */
export function remember(live: ApiObject, applied: LastApply): void {
  if (applied.body.length <= MAX_BODY_BYTES) last.set(live, applied);
}
