import type { FieldFacts, MessageType, Type } from '#schema';
import { listOf } from './structure.ts';

const known = new WeakMap<MessageType, boolean>();

/** Whether an atomic field of a type contains lists whose items must be unique all the same. False for the types of custom resources. */
export function hidesLists(type: MessageType): boolean {
  let hides = known.get(type);
  if (hides === undefined) known.set(type, (hides = type.open === undefined && seek(type, false, [new Set(), new Set()])));
  return hides;
}

/** `seen`: the types visited outside and inside atomic fields. */
function seek(type: MessageType, isInPiece: boolean, seen: readonly [Set<MessageType>, Set<MessageType>]): boolean {
  const isPiece = isInPiece || type.isAtomic;
  const met = seen[isPiece ? 1 : 0];
  if (met.has(type) || type.form !== undefined) return false;
  met.add(type);
  return [...type.fields.values()].some((facts) => (isPiece && listOf(facts) !== undefined) || seekBelow(facts.type, isPiece || isOnePiece(facts), seen));
}

const isOnePiece = (facts: FieldFacts): boolean => facts.isAtomicMap === true || (facts.type.is === 'list' && listOf(facts) === undefined);

function seekBelow(type: Type, isInPiece: boolean, seen: readonly [Set<MessageType>, Set<MessageType>]): boolean {
  if (type.is === 'scalar') return false;
  return type.is === 'message' ? seek(type.message(), isInPiece, seen) : seekBelow(type.of, isInPiece, seen);
}
