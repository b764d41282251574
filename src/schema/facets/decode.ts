import { isJsonObject, memberOf, setMember } from '#base';
import type { FieldFacts, MessageForm, MessageType, Type } from '../field.ts';
import type { Scalar } from '../scalars/scalar.ts';
import { DecodeFailure, describe, showPath, type PathElement } from './decode-failure.ts';
import { mergedMisfitText, misfitText } from './misfit-text.ts';
import { keysInOrder } from './keys-in-order.ts';

/** Maximum nesting of objects and lists. Deeper values are rejected, so that no walk over a decoded value can exhaust the stack. */
const MAX_DEPTH = 256;

/**
 * The most messages in one value. Every stage of a write walks all of them, and a body can hold a million that are empty; objects that a store can keep
 * have far fewer.
 */
export const MAX_MESSAGES = 250_000;

/** The position of a decoder. */
interface Course {
  readonly root: MessageType;
  readonly path: PathElement[];
  /** How many have been read. */
  messages: number;
  /** The value was put together from values, not read from text. */
  readonly isMerged: boolean;
}

/** A JSON value that is not null → its normal form. */
type Read = (value: unknown, course: Course) => unknown;

/** One field, compiled. */
interface Member {
  readonly name: string;
  /** The name is also that of an inherited property (`constructor`), so an own property check is needed. */
  readonly isHidden: boolean;
  readonly isNested: boolean;
  readonly read: Read;
  /** Whether a decoded value counts as absent. */
  readonly isEmpty: (value: unknown) => boolean;
  /** The value of an absent field; undefined: nothing is written. */
  readonly zero: unknown;
  /** Creates the zero where each must be a new value. */
  readonly makeZero: (() => unknown) | undefined;
}

/**
 * Any JSON value → the message in normal form: what a write followed by a read gives.
 * Members stand in the order of the schema and map keys are sorted, so equal objects have equal bytes. Empty members are left out
 * unless the schema says otherwise; messages that are not optional are always there; unknown
 * members are dropped (`unknownFields` names them); null is absence. Raw scalars (any JSON) are taken over, not copied.
 * Throws `DecodeFailure`, and nothing else.
 * @spec 2.1
 */
export function decode(type: MessageType, value: unknown): Record<string, unknown> {
  return decodeAlong({ root: type, path: [], messages: 0, isMerged: false }, value);
}

/**
 * The same for the result of a merge. Go converts such values rather than reading them, and its conversion knows no range: a number that is too large
 * for its field loses the bits that have no room, and is validated as what is left.
 */
export function decodeMerged(type: MessageType, value: unknown): Record<string, unknown> {
  return decodeAlong({ root: type, path: [], messages: 0, isMerged: true }, value);
}

function decodeAlong(course: Course, value: unknown): Record<string, unknown> {
  const { root } = course;
  if (!isJsonObject(value)) throw misfit(course, 'an object', value);
  if (root.open !== undefined) return root.open.decode(value);
  return readMessage(membersOf(root), value, course);
}

/** The empty message in normal form; a new value each time. */
export function zeroOf(type: MessageType): Record<string, unknown> {
  return readMessage(membersOf(type), {}, { root: type, path: [], messages: 0, isMerged: false });
}

const compiled = new WeakMap<MessageType, readonly Member[]>();

function membersOf(type: MessageType): readonly Member[] {
  let members = compiled.get(type);
  if (members === undefined) {
    members = [...type.fields].map(([name, facts]) => compileMember(name, facts));
    compiled.set(type, members);
  }
  return members;
}

function readMessage(members: readonly Member[], source: Record<string, unknown>, course: Course): Record<string, unknown> {
  const target: Record<string, unknown> = {};
  const { path } = course;
  if (++course.messages > MAX_MESSAGES) throw tooMany(path);
  for (const member of members) {
    const { name } = member;
    const given = member.isHidden ? memberOf(source, name) : source[name];
    let value: unknown;
    if (given === undefined || given === null) {
      value = member.makeZero === undefined ? member.zero : member.makeZero();
    } else {
      path.push(name);
      if (member.isNested && path.length > MAX_DEPTH) throw tooDeep(path);
      value = member.read(given, course);
      path.pop();
      if (member.isEmpty(value)) value = member.zero;
    }
    if (value === undefined) continue;
    if (member.isHidden) setMember(target, name, value);
    else target[name] = value;
  }
  return target;
}

function misfit({ root, path }: Course, expected: string, value: unknown): DecodeFailure {
  const place = [...path];
  return new DecodeFailure(showPath(place), expected, describe(value), misfitText(root, place, value), () => mergedMisfitText(root, place, value));
}

const tooDeep = (path: readonly PathElement[]): DecodeFailure =>
  new DecodeFailure(showPath(path), `at most ${MAX_DEPTH} levels`, 'more');

const tooMany = (path: readonly PathElement[]): DecodeFailure =>
  new DecodeFailure(showPath(path), `at most ${MAX_MESSAGES} objects`, 'more');

function compileMember(name: string, facts: FieldFacts): Member {
  const { type } = facts;
  const isWritten = facts.isAlwaysWritten;
  const absent = isWritten ? null : undefined;
  const frame = { name, isHidden: name in Object.prototype, isNested: type.is !== 'scalar', read: compileRead(type), makeZero: undefined };
  if (facts.isPointer) return { ...frame, isEmpty: never, zero: absent };
  if (type.is === 'message') return { ...frame, isEmpty: never, zero: undefined, makeZero: () => zeroOf(type.message()) };
  // See `nullEmptyLists`.
  if (type.is === 'list') return { ...frame, isEmpty: isWritten ? never : isEmptyList, zero: absent };
  if (type.is !== 'scalar') return { ...frame, isEmpty: isEmptyMap, zero: absent };
  const { scalar } = type;
  // Empty bytes that are always written stay empty; absent ones are null.
  if (scalar.name === 'bytes') return { ...frame, isEmpty: isWritten ? never : isEmptyText, zero: absent };
  return { ...frame, isEmpty: isZero(scalar), zero: isWritten || isStruct(scalar) ? scalar.zero : undefined };
}

const never = (): boolean => false;
const isEmptyText = (value: unknown): boolean => value === '';
const isEmptyList = (value: unknown): boolean => (value as readonly unknown[]).length === 0;
const isEmptyMap = (value: unknown): boolean => {
  for (const _key in value as object) return false;
  return true;
};

/** Structs in Go: `omitempty` does not apply to them. */
const STRUCTS: ReadonlySet<string> = new Set(['time', 'microTime', 'quantity', 'intOrString', 'rawObject']);
const isStruct = (scalar: Scalar): boolean => STRUCTS.has(scalar.name);

/** Go's zero time, which counts as absent. */
const NO_TIME = '0001-01-01T00:00:00Z';
const NO_MICRO_TIME = '0001-01-01T00:00:00.000000Z';

function isZero({ name, zero }: Scalar): (value: unknown) => boolean {
  if (name === 'time') return (value) => value === NO_TIME;
  if (name === 'microTime') return (value) => value === NO_MICRO_TIME;
  return (value) => value === zero;
}

function compileRead(type: Type): Read {
  switch (type.is) {
    case 'scalar':
      return compileScalar(type.scalar);
    case 'message':
      return compileMessage(type.message);
    case 'list':
      return compileList(type.of);
    case 'map':
      return compileMap(type.of);
  }
}

function compileScalar(scalar: Scalar): Read {
  return (value, course) => {
    const read = scalar.read(value);
    if (read !== undefined) return read;
    const wrapped = course.isMerged ? scalar.wrap?.(value) : undefined;
    if (wrapped === undefined) throw misfit(course, scalar.name, value);
    return wrapped;
  };
}

function compileMessage(message: () => MessageType): Read {
  let members: readonly Member[] | undefined;
  let form: MessageForm | undefined;
  return (value, course) => {
    if (members === undefined) ({ form } = message());
    members ??= membersOf(message());
    if (form !== undefined) return form.gather(readMessage(members, form.spread(value), course));
    if (!isJsonObject(value)) throw misfit(course, 'an object', value);
    return readMessage(members, value, course);
  };
}

/** What null in a list or map becomes. */
function zeroItem(type: Type): () => unknown {
  if (type.is === 'message') return () => zeroOf(type.message());
  // Absent bytes are null only as a field.
  if (type.is === 'scalar') return type.scalar.name === 'bytes' ? () => '' : () => type.scalar.zero;
  return type.is === 'list' ? () => [] : () => ({});
}

function compileList(of: Type): Read {
  const read = compileRead(of);
  const zero = zeroItem(of);
  return (value, course) => {
    if (!Array.isArray(value)) throw misfit(course, 'a list', value);
    const { path } = course;
    const at = path.length;
    if (at >= MAX_DEPTH) throw tooDeep(path);
    const items: unknown[] = [];
    for (let position = 0; position < value.length; position++) {
      const item: unknown = value[position];
      path[at] = position;
      items.push(item === null || item === undefined ? zero() : read(item, course));
    }
    path.length = at;
    return items;
  };
}

function compileMap(of: Type): Read {
  const read = compileRead(of);
  const zero = zeroItem(of);
  return (value, course) => {
    if (!isJsonObject(value)) throw misfit(course, 'an object', value);
    const { path } = course;
    const at = path.length;
    if (at >= MAX_DEPTH) throw tooDeep(path);
    const entries: Record<string, unknown> = {};
    for (const key of keysInOrder(value)) {
      const item = memberOf(value, key);
      path[at] = key;
      setMember(entries, key, item === null || item === undefined ? zero() : read(item, course));
    }
    path.length = at;
    return entries;
  };
}
