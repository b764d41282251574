import type { MessageType } from '../field.ts';

/** The members of a message in the order of its type, whatever order they were set in; what the type does not have comes last. Parts are shared. */
export function inOrder<T extends object>(type: MessageType, message: T): T {
  const source = message as Record<string, unknown>;
  const made: Record<string, unknown> = {};
  let left = 0;
  for (const _name in source) left++;
  for (const name of type.fields.keys()) {
    const member = source[name];
    if (member === undefined) continue;
    made[name] = member;
    left--;
  }
  // Members that are undefined count, and are none.
  if (left > 0) for (const name of Object.keys(source)) if (source[name] !== undefined && !type.fields.has(name)) made[name] = source[name];
  return made as T;
}
