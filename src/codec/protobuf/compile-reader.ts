import { setMember } from '#base';
import type { MessageType, Type } from '#schema';
import { wireMembersOf, type WireMember } from './members.ts';
import { SCALAR_READERS } from './read-scalar.ts';
import { wrongWire, type Reader } from './reader.ts';
import { BYTES } from './varint.ts';

type JsonObject = Record<string, unknown>;

/** One field, ready to run: puts what it reads into `object`. */
interface FieldReader {
  readonly wire: number;
  /** Numbers may also come packed: one after the other in one field. */
  readonly isPackable: boolean;
  read(from: Reader, object: JsonObject): void;
}

type ReadValue = (from: Reader, before: unknown) => unknown;

const compiled = new WeakMap<MessageType, ReadonlyMap<number, FieldReader>>();

/**
 * Reads the members of a message into `object` until the bytes end. Unknown fields are passed over; a message that comes twice is merged.
 * The result is plain JSON but not yet in normal form. Throws `WireError`.
 */
export function readMessage(type: MessageType, from: Reader, object: JsonObject): JsonObject {
  return readFields(readersOf(type), from, object);
}

function readersOf(type: MessageType): ReadonlyMap<number, FieldReader> {
  let readers = compiled.get(type);
  if (readers === undefined) {
    readers = new Map(wireMembersOf(type).map((member) => [member.no, compileMember(member)]));
    compiled.set(type, readers);
  }
  return readers;
}

function readFields(readers: ReadonlyMap<number, FieldReader>, from: Reader, object: JsonObject): JsonObject {
  while (!from.isAtEnd) {
    const tag = from.tag();
    const no = tag >>> 3;
    const wire = tag & 7;
    const field = readers.get(no);
    if (field === undefined) from.skip(wire);
    else if (field.wire === wire) field.read(from, object);
    else if (field.isPackable && wire === BYTES) readPacked(field, from, object);
    else throw wrongWire(wire, no, field.wire);
  }
  return object;
}

function readPacked(field: FieldReader, from: Reader, object: JsonObject): void {
  const outer = from.enter();
  while (!from.isAtEnd) field.read(from, object);
  from.leave(outer);
}

function compileMember({ name, facts }: WireMember): FieldReader {
  const { type } = facts;
  if (name === undefined) return compileInline(type);
  if (type.is === 'list') return compileList(name, type.of);
  if (type.is === 'map') return compileMap(name, type.of);
  const { wire, read } = compileValue(type);
  return {
    wire,
    isPackable: false,
    read: (from, object) => {
      object[name] = read(from, object[name]);
    },
  };
}

/** Members that stand beside the others in JSON go into the object they are in. */
function compileInline(type: Type): FieldReader {
  const { read } = compileValue(type);
  return { wire: BYTES, isPackable: false, read: (from, object) => void read(from, object) };
}

function compileValue(type: Type): { readonly wire: number; readonly read: ReadValue } {
  switch (type.is) {
    case 'scalar':
      return SCALAR_READERS[type.scalar.name];
    case 'message':
      return { wire: BYTES, read: compileNested(type.message) };
    case 'list':
      return { wire: BYTES, read: compileWrapped(type.of) };
    case 'map':
      throw new Error('protobuf has no maps in lists or maps');
  }
}

function compileNested(message: () => MessageType): ReadValue {
  let type: MessageType | undefined;
  let readers: ReadonlyMap<number, FieldReader> | undefined;
  return (from, before) => {
    type ??= message();
    readers ??= readersOf(type);
    const outer = from.enter();
    const { form } = type;
    const start = form === undefined || before === undefined ? (before ?? {}) : form.spread(before);
    const value = readFields(readers, from, start as JsonObject);
    from.leave(outer);
    return form === undefined ? value : form.gather(value);
  };
}

/** See `compileWrapped` of the writer. */
function compileWrapped(of: Type): ReadValue {
  const readers = new Map([[1, compileList('items', of)]]);
  return (from) => {
    const outer = from.enter();
    const { items } = readFields(readers, from, { items: [] });
    from.leave(outer);
    return items;
  };
}

function compileList(name: string, of: Type): FieldReader {
  const { wire, read } = compileValue(of);
  return {
    wire,
    isPackable: wire !== BYTES,
    read: (from, object) => {
      const items = (object[name] ??= []) as unknown[];
      items.push(read(from, undefined));
    },
  };
}

function compileMap(name: string, of: Type): FieldReader {
  const value = compileValue(of);
  const readers = new Map<number, FieldReader>([
    [1, { wire: BYTES, isPackable: false, read: (from, entry) => void (entry['key'] = from.text()) }],
    [2, { wire: value.wire, isPackable: false, read: (from, entry) => void (entry['value'] = value.read(from, undefined)) }],
  ]);
  const empty = emptyValue(of);
  return {
    wire: BYTES,
    isPackable: false,
    read: (from, object) => {
      const entries = (object[name] ??= {}) as JsonObject;
      const outer = from.enter();
      const entry = readFields(readers, from, {});
      from.leave(outer);
      setMember(entries, (entry['key'] as string | undefined) ?? '', 'value' in entry ? entry['value'] : empty());
    },
  };
}

/** What an entry without value holds. */
function emptyValue(of: Type): () => unknown {
  if (of.is === 'scalar') return () => of.scalar.zero;
  return of.is === 'list' ? () => [] : () => ({});
}
