/** Rules that ConfigMap and Secret share: maps of named values, limited in size, that can be made immutable. */
import type { FieldErrors } from '#errors';
import { checkConfigMapKey, report } from '#api';

/** Limit for all values of one ConfigMap or Secret together. */
export const MAX_DATA_BYTES = 1024 * 1024;

export type Data = Readonly<Record<string, string>> | null | undefined;

/** Checks the keys; returns the size of all values in bytes. `validateKey`: what else there is to check of a key, whose faults follow its own. */
export function validateData(data: Data, sizeOf: (value: string) => number, at: FieldErrors, validateKey?: (key: string, at: FieldErrors) => void): number {
  let bytes = 0;
  for (const [key, value] of Object.entries(data ?? {})) {
    report(at.key(key), key, checkConfigMapKey(key));
    validateKey?.(key, at.key(key));
    bytes += sizeOf(value);
  }
  return bytes;
}

interface Closable {
  readonly immutable?: boolean;
}

const CLOSED = 'field is immutable when `immutable` is set';

/** Checks that `immutable` stays true, and that the given fields do not change, once it is true. */
export function validateClosed<T extends Closable>(
  next: T,
  live: T | undefined,
  members: readonly (keyof T & string)[],
  at: FieldErrors,
): void {
  if (live?.immutable !== true) return;
  if (next.immutable !== true) at.child('immutable').forbidden(CLOSED);
  for (const member of members) {
    if (!isSameData(next[member] as Data, live[member] as Data)) at.child(member).forbidden(CLOSED);
  }
}

function isSameData(one: Data, other: Data): boolean {
  const entries = Object.entries(one ?? {});
  const others = new Map(Object.entries(other ?? {}));
  return entries.length === others.size && entries.every(([key, value]) => others.get(key) === value);
}
