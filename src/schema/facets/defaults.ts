import { cloneJson, isJsonObject, memberOf, setMember } from '#base';
import type { FieldFacts, MessageType, Type } from '../field.ts';

type Fill = (value: Record<string, unknown>) => void;

/**
 * Fills what is absent, in place: the fixed defaults of the message, then its `defaults` hook, then its members likewise.
 * The value must be in normal form; a part that is absent stays absent unless something fills it.
 */
export function applyDefaults(type: MessageType, value: unknown): void {
  if (isJsonObject(value)) fillOf(type)(value);
}

const compiled = new WeakMap<MessageType, Fill>();

function fillOf(type: MessageType): Fill {
  let fill = compiled.get(type);
  if (fill === undefined) {
    fill = compileMessage(type);
    compiled.set(type, fill);
  }
  return fill;
}

function compileMessage(type: MessageType): Fill {
  const steps: Fill[] = [];
  for (const [name, facts] of type.members) {
    if (facts.fallback !== undefined && !facts.isInline) steps.push(compileFallback(name, facts));
  }
  if (type.defaults !== undefined) steps.push(type.defaults);
  for (const [name, facts] of type.members) {
    const step = compileMember(name, facts);
    if (step !== undefined) steps.push(step);
  }
  return (value) => {
    for (const step of steps) step(value);
  };
}

function compileFallback(name: string, facts: FieldFacts): Fill {
  const { fallback } = facts;
  const isAbsent = compileIsAbsent(facts);
  return (value) => {
    if (isAbsent(memberOf(value, name))) setMember(value, name, typeof fallback === 'object' ? cloneJson(fallback) : fallback);
  };
}

/** Whether a value counts as absent: for non-pointer fields, a zero that is always written does too. */
function compileIsAbsent({ type, isPointer }: FieldFacts): (value: unknown) => boolean {
  const zero = type.is === 'scalar' && !isPointer ? type.scalar.zero : null;
  return (value) => value === undefined || value === null || value === zero;
}

/** The default filler of a field; undefined: there is no default anywhere inside. */
function compileMember(name: string, facts: FieldFacts): Fill | undefined {
  if (!typeHasDefaults(facts.type)) return undefined;
  const visit = compileVisit(facts.type);
  if (facts.isInline) return visit;
  return (value) => visit(memberOf(value, name));
}

function compileVisit(type: Type): (value: unknown) => void {
  if (type.is === 'scalar') return () => {};
  if (type.is === 'message') {
    const { message } = type;
    return (value) => {
      if (isJsonObject(value)) fillOf(message())(value);
    };
  }
  const visit = compileVisit(type.of);
  return (value) => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isJsonObject(value)) Object.values(value).forEach(visit);
  };
}

const known = new WeakMap<MessageType, boolean>();

/** Whether there is a default anywhere inside. */
function hasDefaults(type: MessageType): boolean {
  const before = known.get(type);
  if (before !== undefined) return before;
  const seen = new Set<MessageType>();
  const found = isReachable(type, seen);
  // A search that found no default applies to every type it visited.
  if (!found) for (const one of seen) known.set(one, false);
  known.set(type, found);
  return found;
}

function isReachable(type: MessageType, seen: Set<MessageType>): boolean {
  const before = known.get(type);
  if (before !== undefined) return before;
  if (seen.has(type)) return false;
  seen.add(type);
  if (type.defaults !== undefined) return true;
  return type.members.some(
    ([, facts]) => facts.fallback !== undefined || innerMessages(facts.type).some((inner) => isReachable(inner, seen)),
  );
}

const typeHasDefaults = (type: Type): boolean => innerMessages(type).some(hasDefaults);

function innerMessages(type: Type): readonly MessageType[] {
  if (type.is === 'scalar') return [];
  return type.is === 'message' ? [type.message()] : innerMessages(type.of);
}
