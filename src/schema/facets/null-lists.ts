import { isJsonObject, memberOf, setMember } from '#base';
import type { FieldFacts, MessageType, Type } from '../field.ts';

type Visit = (value: unknown) => void;

/**
 * Replaces empty lists that are always written by null, in place, which is the stored form. While a request is processed the two differ: a client
 * that sends an empty list owns the field, one that omits it does not.
 */
export function nullEmptyLists(type: MessageType, value: unknown): void {
  visitOf(type)?.(value);
}

const compiled = new WeakMap<MessageType, { visit: Visit | undefined }>();

/** The visitor of a type; undefined: it contains no such list. */
function visitOf(type: MessageType): Visit | undefined {
  let known = compiled.get(type);
  if (known === undefined) {
    // A recursive type needs its own visitor while that is being built: it is looked up here at run time.
    const entry: { visit: Visit | undefined } = { visit: undefined };
    entry.visit = (value) => made?.(value);
    compiled.set(type, entry);
    const made = compileMessage(type);
    entry.visit = made;
    known = entry;
  }
  return known.visit;
}

function compileMessage(type: MessageType): Visit | undefined {
  const steps: Visit[] = [];
  for (const [name, facts] of type.members) {
    const step = compileMember(name, facts);
    if (step !== undefined) steps.push(step);
  }
  if (steps.length === 0) return undefined;
  return (value) => {
    if (isJsonObject(value)) for (const step of steps) step(value);
  };
}

function compileMember(name: string, facts: FieldFacts): Visit | undefined {
  const inside = compileInside(facts.type);
  if (facts.isInline) return inside;
  const mayBeEmpty = facts.type.is === 'list' && facts.isAlwaysWritten && !facts.isPointer;
  if (inside === undefined && !mayBeEmpty) return undefined;
  return (value) => {
    const parent = value as Record<string, unknown>;
    const member = memberOf(parent, name);
    if (mayBeEmpty && Array.isArray(member) && member.length === 0) setMember(parent, name, null);
    else if (member !== undefined && member !== null) inside?.(member);
  };
}

function compileInside(type: Type): Visit | undefined {
  if (type.is === 'scalar') return undefined;
  if (type.is === 'message') return visitOf(type.message());
  const visit = compileInside(type.of);
  if (visit === undefined) return undefined;
  return (value) => {
    if (Array.isArray(value)) value.forEach((item) => visit(item));
    else if (isJsonObject(value)) Object.values(value).forEach((item) => visit(item));
  };
}
