import type { MessageType } from '../field.ts';

/** A copy of a message with its fields in the order of the type; unknown fields come last. Values are shared. */
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
  // Undefined properties were counted as fields, but are left out.
  if (left > 0) for (const name of Object.keys(source)) if (source[name] !== undefined && !type.fields.has(name)) made[name] = source[name];
  return made as T;
}
