import type { FieldFacts, MessageType, Type } from '#schema';
import { LEAF_STRUCTURE, SET_STRUCTURE, type ItemList, type Structure } from './structure-form.ts';
import { ofOpen } from './structure-of-schema.ts';

const compiled = new WeakMap<MessageType, Structure>();

/** The structure of a type; computed on first use. */
export function structureOf(type: MessageType): Structure {
  let structure = compiled.get(type);
  if (structure === undefined) {
    structure = type.isAtomic || type.form !== undefined ? LEAF_STRUCTURE : ofMembers(type);
    compiled.set(type, structure);
  }
  return structure;
}

function ofMembers(type: MessageType): Structure {
  const fields = new Map([...type.fields].map(([name, facts]) => [name, later(facts)]));
  return type.open === undefined ? { is: 'struct', fields } : ofOpen(type.open.schema, fields);
}

/** Types may be recursive, so the structures of fields are computed on first use. */
function later(facts: FieldFacts): () => Structure {
  let structure: Structure | undefined;
  return () => (structure ??= ofField(facts));
}

function ofField(facts: FieldFacts): Structure {
  const { type } = facts;
  if (facts.isAtomicMap === true) return LEAF_STRUCTURE;
  return type.is === 'list' ? ofList(facts, type.of) : ofType(type);
}

/** A list inside of a list or a map declares nothing, and so is a leaf. */
function ofType(type: Type): Structure {
  switch (type.is) {
    case 'scalar':
    case 'list':
      return LEAF_STRUCTURE;
    case 'message':
      return structureOf(type.message());
    case 'map': {
      const of = ofType(type.of);
      return { is: 'map', of: () => of };
    }
  }
}

const lists = new WeakMap<FieldFacts, Structure>();

/** The keys of the items of a list, also where it is inside of an atomic value; undefined: items are known by position. */
export function listOf(facts: FieldFacts): ItemList | undefined {
  const { type } = facts;
  if (type.is !== 'list') return undefined;
  let list = lists.get(facts);
  if (list === undefined) lists.set(facts, (list = ofList(facts, type.of)));
  return list.is === 'set' || list.is === 'keyed' ? list : undefined;
}

/** The list type that the field declares; else that of strategic merge patch. */
function ofList(facts: FieldFacts, item: Type): Structure {
  const { listMerge, patch } = facts;
  if (listMerge === 'atomic') return LEAF_STRUCTURE;
  if (listMerge === 'set') return SET_STRUCTURE;
  if (listMerge !== undefined) return keyed(listMerge.map, item);
  if (patch?.merge !== true) return LEAF_STRUCTURE;
  return patch.key === undefined ? SET_STRUCTURE : keyed([patch.key], item);
}

function keyed(names: readonly string[], item: Type): Structure {
  const message = item.is === 'message' ? item.message : undefined;
  return {
    is: 'keyed',
    keys: names.map((name) => ({ name, fallback: fallbackOf(message?.().fields.get(name)) })),
    of: () => ofType(item),
  };
}

/** The value of a key that an item leaves out: its default, or the zero value if the field is always encoded. */
function fallbackOf(facts: FieldFacts | undefined): unknown {
  if (facts === undefined || facts.fallback !== undefined) return facts?.fallback;
  return facts.isAlwaysWritten && !facts.isPointer && facts.type.is === 'scalar' ? facts.type.scalar.zero : undefined;
}
