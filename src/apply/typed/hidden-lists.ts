import type { JsonObject } from '#base';
import type { FieldFacts, MessageType, Type } from '#schema';
import { misfitOf } from './misfit.ts';
import { listOf } from './structure.ts';

/**
 * Why what is one piece for its owners has parts that cannot be told apart, though the schema says how they are; undefined: it has none.
 * Costs nothing for the many types that have no such parts.
 */
export const hiddenRepeatIn = (type: MessageType, object: JsonObject): string | undefined => (hidesLists(type) ? misfitOf(type, object) : undefined);

const known = new WeakMap<MessageType, boolean>();

function hidesLists(type: MessageType): boolean {
  let hides = known.get(type);
  if (hides === undefined) known.set(type, (hides = type.open === undefined && seek(type, false, [new Set(), new Set()])));
  return hides;
}

/** `seen`: outside of pieces, and inside. */
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
