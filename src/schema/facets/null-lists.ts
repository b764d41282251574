import { isJsonObject, memberOf, setMember } from '#base';
import type { FieldFacts, MessageType, Type } from '../field.ts';

type Visit = (value: unknown) => void;

/**
 * Turns empty lists that are always written into null, in place: that is how they are kept. While a request is being read they stay apart,
 * because whoever sends an empty list owns it, and who sends nothing does not.
 */
export function nullEmptyLists(type: MessageType, value: unknown): void {
  visitOf(type)?.(value);
}

const compiled = new WeakMap<MessageType, { visit: Visit | undefined }>();

/** undefined: there is no such list anywhere inside. */
function visitOf(type: MessageType): Visit | undefined {
  let known = compiled.get(type);
  if (known === undefined) {
    // Types that contain themselves ask for their own visit while it is being made: they find it here when it runs.
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
