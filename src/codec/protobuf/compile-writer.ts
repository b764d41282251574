import { compareUtf8 } from '#base';
import type { MessageForm, MessageType, Type } from '#schema';
import { wireMembersOf, type WireMember } from './members.ts';
import { BYTES, tagOf } from './varint.ts';
import { SCALAR_WRITERS, type WriteValue } from './write-scalar.ts';
import type { Writer } from './writer.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Writes one member of `object`, with its tag. */
type WriteMember = (out: Writer, object: JsonObject) => void;

const EMPTY: JsonObject = {};
const ENTRY_KEY = tagOf(1, BYTES);

const compiled = new WeakMap<MessageType, readonly WriteMember[]>();

/** Writes the members of a message, without its length. */
export function writeMessage(type: MessageType, out: Writer, object: JsonObject): void {
  runAll(writersOf(type), out, object);
}

/** The compiled members in descending order, because the writer works backwards. Nested messages are compiled when the first one is written. */
function writersOf(type: MessageType): readonly WriteMember[] {
  let writers = compiled.get(type);
  if (writers === undefined) {
    writers = wireMembersOf(type).toReversed().map(compileMember);
    compiled.set(type, writers);
  }
  return writers;
}

function runAll(writers: readonly WriteMember[], out: Writer, object: JsonObject): void {
  for (let position = 0; position < writers.length; position++) writers[position]!(out, object);
}

function compileMember({ no, name, facts }: WireMember): WriteMember {
  const { type, isPointer } = facts;
  if (name === undefined) {
    const { write, tag } = compileValue(type, no);
    return (out, object) => writeTagged(out, object, write, tag);
  }
  if (type.is === 'list') return compileList(name, no, type.of);
  if (type.is === 'map') return compileMap(name, no, type.of);
  const { write, tag } = compileValue(type, no);
  if (isPointer || isAbsentWhenNull(type)) {
    return (out, object) => {
      const value = object[name];
      if (value !== undefined && value !== null) writeTagged(out, value, write, tag);
    };
  }
  return (out, object) => writeTagged(out, object[name], write, tag);
}

function writeTagged(out: Writer, value: unknown, write: WriteValue, tag: number): void {
  write(out, value);
  out.varint(tag);
}

const isAbsentWhenNull = (type: Type): boolean => type.is === 'scalar' && SCALAR_WRITERS[type.scalar.name].isAbsentWhenNull === true;

function compileValue(type: Type, no: number): { readonly write: WriteValue; readonly tag: number } {
  switch (type.is) {
    case 'scalar': {
      const { wire, write } = SCALAR_WRITERS[type.scalar.name];
      return { write, tag: tagOf(no, wire) };
    }
    case 'message':
      return { write: compileNested(type.message), tag: tagOf(no, BYTES) };
    case 'list':
      return { write: compileWrapped(type.of), tag: tagOf(no, BYTES) };
    case 'map':
      throw new Error('protobuf has no maps in lists or maps');
  }
}

function compileNested(message: () => MessageType): WriteValue {
  let writers: readonly WriteMember[] | undefined;
  let form: MessageForm | undefined;
  return (out, value) => {
    if (writers === undefined) ({ form } = message());
    writers ??= writersOf(message());
    const start = out.length;
    runAll(writers, out, form === undefined ? ((value ?? EMPTY) as JsonObject) : form.spread(value));
    out.lengthSince(start);
  };
}

/** A list that is the value of a map or an item of a list is a message with the one field `items`. */
function compileWrapped(of: Type): WriteValue {
  const { write, tag } = compileValue(of, 1);
  return (out, value) => {
    const start = out.length;
    writeItems(out, value, write, tag);
    out.lengthSince(start);
  };
}

function compileList(name: string, no: number, of: Type): WriteMember {
  const { write, tag } = compileValue(of, no);
  return (out, object) => writeItems(out, object[name], write, tag);
}

function writeItems(out: Writer, value: unknown, write: WriteValue, tag: number): void {
  if (value === undefined || value === null) return;
  const items = value as readonly unknown[];
  for (let position = items.length - 1; position >= 0; position--) writeTagged(out, items[position], write, tag);
}

/** Map entries are messages of key and value, in the order of the bytes of their keys. */
function compileMap(name: string, no: number, of: Type): WriteMember {
  const { write, tag: valueTag } = compileValue(of, 2);
  const skipsNull = isAbsentWhenNull(of);
  const tag = tagOf(no, BYTES);
  return (out, object) => {
    const entries = object[name] as JsonObject | null | undefined;
    if (entries === undefined || entries === null) return;
    const keys = Object.keys(entries).sort(compareUtf8);
    for (let position = keys.length - 1; position >= 0; position--) {
      const key = keys[position]!;
      const value = entries[key];
      const start = out.length;
      if (!skipsNull || (value !== undefined && value !== null)) writeTagged(out, value, write, valueTag);
      out.text(key);
      out.varint(ENTRY_KEY);
      out.lengthSince(start);
      out.varint(tag);
    }
  };
}
