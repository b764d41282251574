import type { FieldFacts, MessageType, Type } from '#schema';
import type { ItemList, Structure } from './structure-form.ts';
import { ofOpen } from './structure-of-schema.ts';

const LEAF: Structure = { is: 'leaf' };
const SET: Structure = { is: 'set' };

export type { KeyedList, ListKey, MemberStructure, Structure } from './structure-form.ts';

const compiled = new WeakMap<MessageType, Structure>();

/** The structure of a message; made on first use. */
export function structureOf(type: MessageType): Structure {
  let structure = compiled.get(type);
  if (structure === undefined) {
    structure = type.isAtomic || type.form !== undefined ? LEAF : ofMembers(type);
    compiled.set(type, structure);
  }
  return structure;
}

function ofMembers(type: MessageType): Structure {
  const fields = new Map([...type.fields].map(([name, facts]) => [name, later(facts)]));
  return type.open === undefined ? { is: 'struct', fields } : ofOpen(type.open.schema, fields);
}

/** Types may refer to themselves, so the parts of a message are made when they are first looked at. */
function later(facts: FieldFacts): () => Structure {
  let structure: Structure | undefined;
  return () => (structure ??= ofField(facts));
}

function ofField(facts: FieldFacts): Structure {
  const { type } = facts;
  if (facts.isAtomicMap === true) return LEAF;
  return type.is === 'list' ? ofList(facts, type.of) : ofType(type);
}

/** A list inside a list or a map says nothing of itself, and so is one piece. */
function ofType(type: Type): Structure {
  switch (type.is) {
    case 'scalar':
    case 'list':
      return LEAF;
    case 'message':
      return structureOf(type.message());
    case 'map': {
      const of = ofType(type.of);
      return { is: 'map', of: () => of };
    }
  }
}

const lists = new WeakMap<FieldFacts, Structure>();

/** How the items of a list are told apart, also where it is part of what is one piece for its owners; undefined: by their places alone. */
export function listOf(facts: FieldFacts): ItemList | undefined {
  const { type } = facts;
  if (type.is !== 'list') return undefined;
  let list = lists.get(facts);
  if (list === undefined) lists.set(facts, (list = ofList(facts, type.of)));
  return list.is === 'set' || list.is === 'keyed' ? list : undefined;
}

/** What the list says of itself; where it is silent, what strategic merge patch does with it. */
function ofList(facts: FieldFacts, item: Type): Structure {
  const { listMerge, patch } = facts;
  if (listMerge === 'atomic') return LEAF;
  if (listMerge === 'set') return SET;
  if (listMerge !== undefined) return keyed(listMerge.map, item);
  if (patch?.merge !== true) return LEAF;
  return patch.key === undefined ? SET : keyed([patch.key], item);
}

function keyed(names: readonly string[], item: Type): Structure {
  const message = item.is === 'message' ? item.message : undefined;
  return {
    is: 'keyed',
    keys: names.map((name) => ({ name, fallback: fallbackOf(message?.().fields.get(name)) })),
    of: () => ofType(item),
  };
}

/** A key that is always written is there where it is left out: empty. */
function fallbackOf(facts: FieldFacts | undefined): unknown {
  if (facts === undefined || facts.fallback !== undefined) return facts?.fallback;
  return facts.isAlwaysWritten && !facts.isPointer && facts.type.is === 'scalar' ? facts.type.scalar.zero : undefined;
}
