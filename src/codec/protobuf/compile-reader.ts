import { setMember } from '#base';
import type { MessageType, Type } from '#schema';
import { wireMembersOf, type WireMember } from './members.ts';
import { SCALAR_READERS } from './read-scalar.ts';
import { wrongWire, type Reader } from './reader.ts';
import { BYTES } from './varint.ts';

type JsonObject = Record<string, unknown>;

/** The compiled reader of one field, which sets what it reads in `object`. */
interface FieldReader {
  /** The name in error messages. */
  readonly shown: string;
  readonly wire: number;
  /** Whether repeated values may also be packed into one field (numbers). */
  readonly isPackable: boolean;
  read(from: Reader, object: JsonObject): void;
}

type ReadValue = (from: Reader, before: unknown) => unknown;

/** The compiled reader of a message. */
interface MessageReader {
  readonly name: string;
  readonly fields: ReadonlyMap<number, FieldReader>;
}

const compiled = new WeakMap<MessageType, MessageReader>();

/**
 * Reads the fields of a message into `object` until the bytes end. Unknown fields are skipped; a message field that is repeated is merged.
 * The result is plain JSON, which is not yet decoded by its type. Throws `WireError`.
 */
export function readMessage(type: MessageType, from: Reader, object: JsonObject): JsonObject {
  return readFields(readersOf(type), from, object);
}

function readersOf(type: MessageType): MessageReader {
  let reader = compiled.get(type);
  if (reader === undefined) {
    const fields = new Map(wireMembersOf(type).map((member) => [member.no, compileMember(member)]));
    reader = { name: lastPart(type.name), fields };
    compiled.set(type, reader);
  }
  return reader;
}

function readFields({ name, fields }: MessageReader, from: Reader, object: JsonObject): JsonObject {
  while (!from.isAtEnd) {
    const tag = from.tag(name);
    const wire = tag & 7;
    const field = fields.get(tag >>> 3);
    if (field === undefined) from.skip(wire);
    else if (field.wire === wire) field.read(from, object);
    else if (field.isPackable && wire === BYTES) readPacked(field, from, object);
    else throw wrongWire(wire, field.shown);
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
    shown: shownName(name),
    wire,
    isPackable: false,
    read: (from, object) => {
      object[name] = read(from, object[name]);
    },
  };
}

/** Inline messages, whose fields are members of the outer object in JSON, are read into that object. */
function compileInline(type: Type): FieldReader {
  const { read } = compileValue(type);
  const shown = type.is === 'message' ? lastPart(type.message().name) : '';
  return { shown, wire: BYTES, isPackable: false, read: (from, object) => void read(from, object) };
}

/** Go's field names begin with a capital letter, and abbreviations at the beginning are all capitals. */
const BEGINNING = /^(?:api|csi|dns|fc|fs|grpc|http|id|ip|iscsi|nfs|rbd|tcp|tls|tty|uid)(?=[A-Z]|$)|^./;
const shownName = (name: string): string => (name === 'metadata' ? 'ObjectMeta' : name).replace(BEGINNING, (start) => start.toUpperCase());
const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

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
  let readers: MessageReader | undefined;
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
  const readers: MessageReader = { name: 'Items', fields: new Map([[1, compileList('items', of)]]) };
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
    shown: shownName(name),
    wire,
    isPackable: wire !== BYTES,
    read: (from, object) => {
      const items = (object[name] ??= []) as unknown[];
      items.push(read(from, undefined));
    },
  };
}

/**
 * As kube-apiserver, ignores the wire types of the key and value of an entry. Unlike it, does not let them extend beyond the end of the entry: those
 * bytes would be read again, so that a small body could cause any amount of work.
 */
function compileMap(name: string, of: Type): FieldReader {
  const { read } = compileValue(of);
  const empty = emptyValue(of);
  return {
    shown: shownName(name),
    wire: BYTES,
    isPackable: false,
    read: (from, object) => {
      const entries = (object[name] ??= {}) as JsonObject;
      const outer = from.enter();
      let key = '';
      let value: unknown;
      while (!from.isAtEnd) {
        const tag = from.entryTag();
        if (tag >>> 3 === 1) key = from.text();
        else if (tag >>> 3 === 2) value = read(from, undefined);
        else from.skip(tag & 7);
      }
      from.leave(outer);
      setMember(entries, key, value === undefined ? empty() : value);
    },
  };
}

/** The value of an entry without one. */
function emptyValue(of: Type): () => unknown {
  if (of.is === 'scalar') return () => of.scalar.zero;
  return of.is === 'list' ? () => [] : () => ({});
}
