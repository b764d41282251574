import type { MessageType, Type } from '../field.ts';

const known = new WeakMap<MessageType, boolean>();

/**
 * Whether messages of a type hold JSON that Go keeps as text (`RawExtension`, `JSON`), at any depth. The members that a definition declares are such JSON.
 */
export function holdsRaw(type: MessageType): boolean {
  let holds = known.get(type);
  if (holds === undefined) known.set(type, (holds = isIn(type, new Set())));
  return holds;
}

/** `seen`: the types that have been looked into, as types may be recursive. */
function isIn(type: MessageType, seen: Set<MessageType>): boolean {
  if (seen.has(type)) return false;
  seen.add(type);
  return type.members.some(([, member]) => isOrHolds(member.type, seen));
}

function isOrHolds(type: Type, seen: Set<MessageType>): boolean {
  if (type.is === 'scalar') return type.scalar.name === 'rawObject' || type.scalar.name === 'json';
  return type.is === 'message' ? isIn(type.message(), seen) : isOrHolds(type.of, seen);
}
