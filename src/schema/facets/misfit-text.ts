import { goJsonType, goTypeOf } from '#errors';
import type { MessageType, Type } from '../field.ts';
import type { Scalar } from '../scalars/scalar.ts';
import { isByte } from '../scalars/bytes.ts';
import { base64Misfit, quantityMisfit, timeMisfit } from '../scalars/misfits.ts';
import type { PathElement } from './decode-failure.ts';
import { NAMED_TEXTS } from './named-texts.table.ts';

/** The schema at the end of a path, and how clients spell the path. */
interface Place {
  /** The last message on the way. */
  readonly holder: string;
  /** The field names of the path in it, without indexes and map keys. */
  readonly names: readonly string[];
  readonly type: Type;
  /** The Go type of the strings there, where it is a named type. */
  readonly named: string | undefined;
  /** The whole message, where a form has its own. */
  readonly text: string | undefined;
}

/**
 * The message for a value that does not fit its type, as Go's decoder words it: clients show it, and some parse it. Scalars with a parser of their
 * own have their own messages; all others name the field and its type. Only called on failure, so that the path is walked again.
 */
export function misfitText(root: MessageType, path: readonly PathElement[], value: unknown): string {
  const place = follow(root, path);
  const own = place.text ?? (place.type.is === 'scalar' ? ownText(place.type.scalar, value) : undefined);
  if (own !== undefined) return own;
  const oddByte = place.type.is === 'scalar' && place.type.scalar.name === 'bytes' ? firstOddByte(value) : undefined;
  if (oddByte !== undefined) return cannotUnmarshal(numberOr(goJsonType(oddByte.item), oddByte.item), place, 'uint8');
  return cannotUnmarshal(wordFor(value, place.type), place);
}

/** The same for a whole number that is written with a fraction, where an integer is wanted. */
export function wholeFloatText(root: MessageType, path: readonly PathElement[], literal: string): string {
  const place = follow(root, path);
  return place.text ?? cannotUnmarshal(`number ${literal}`, place);
}

function cannotUnmarshal(what: string, { holder, names, type, named }: Place, typed = typeName(type, named)): string {
  const where = names.length === 0 ? 'value' : `struct field ${[holder, ...names].join('.')}`;
  return `json: cannot unmarshal ${what} into Go ${where} of type ${typed}`;
}

/** The first item that is no byte in a list of bytes. */
function firstOddByte(value: unknown): { readonly item: unknown } | undefined {
  const item: unknown = Array.isArray(value) ? value.find((one) => one !== null && !isByte(one)) : undefined;
  return item === undefined ? undefined : { item };
}

/**
 * The same for the result of a strategic merge patch: such an object is converted from values, not parsed from text, and Go's converter words it
 * differently.
 */
export function mergedMisfitText(root: MessageType, path: readonly PathElement[], value: unknown): string {
  const { type, named, text } = follow(root, path);
  if (text !== undefined) return text;
  if (type.is === 'map') return `cannot restore map from ${shapeOf(value)}`;
  if (type.is === 'list') return `cannot restore slice from ${shapeOf(value)}`;
  if (type.is === 'message') return `cannot restore struct from: ${shapeOf(value)}`;
  const { scalar } = type;
  if (scalar.name === 'bytes') return typeof value === 'string' ? `error decoding from json: ${base64Misfit(value)}` : `cannot restore slice from ${shapeOf(value)}`;
  if (PARSED.has(scalar.name)) return ownText(scalar, value) ?? `json: cannot unmarshal ${wordFor(value, type)} into Go value of type ${typeName(type, named)}`;
  const from = goTypeOf(value);
  return isConvertible(from, scalar.name) ? `cannot convert ${from} to ${typeName(type, named)}` : `unrecognized type: ${typeName(type, undefined)}`;
}

/** Scalars that are parsed from JSON there as well. */
const PARSED: ReadonlySet<Scalar['name']> = new Set(['quantity', 'time', 'microTime', 'intOrString'] as const);

/** Whether Go can convert one type to the other, although JSON keeps them apart. */
const isConvertible = (from: string, to: Scalar['name']): boolean => (NUMBERS.has(to) ? from === 'int64' || from === 'float64' : to === 'string' && from === 'int64');

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  return typeof value === 'object' ? 'map' : goTypeOf(value);
}

function follow(root: MessageType, path: readonly PathElement[]): Place {
  let holder = shortName(root);
  const names: string[] = [];
  let type: Type = { is: 'message', message: () => root };
  let named: string | undefined;
  let listName: string | undefined;
  // Below a type with a decoder of its own, the path is not extended.
  let isInForm = false;
  let text: string | undefined;
  for (const element of path) {
    text = undefined;
    if (type.is === 'list') {
      type = type.of;
    } else if (type.is === 'map') {
      type = type.of;
      if (type.is === 'list') listName = LISTS_IN_MAPS;
    } else if (type.is === 'message') {
      const message = type.message();
      isInForm ||= message.form !== undefined;
      text = message.form?.misfit;
      if (!isInForm) {
        holder = shortName(message);
        names.push(String(element));
      }
      listName = undefined;
      named = nameOfTexts(message, String(element));
      type = message.fields.get(String(element))?.type ?? type;
    }
  }
  return { holder, names, type, named: type.is === 'list' ? (listName ?? named) : named, text };
}

/** The named Go type of a string field; fields of inline messages are listed under the message that declares them. */
function nameOfTexts(message: MessageType, member: string): string | undefined {
  const own = NAMED_TEXTS[message.name];
  if (own !== undefined && Object.hasOwn(own, member)) return own[member];
  for (const [, { isInline, type }] of message.members) {
    const found = isInline && type.is === 'message' ? nameOfTexts(type.message(), member) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The Go type of lists in maps, which is the same for all. */
const LISTS_IN_MAPS = 'v1.ExtraValue';

/** `core/v1.PodSpec` → `PodSpec`. */
const shortName = ({ name }: MessageType): string => name.slice(name.lastIndexOf('.') + 1);

const SCALAR_TYPES: Readonly<Partial<Record<Scalar['name'], string>>> = {
  double: 'float64',
  bytes: '[]uint8',
  time: 'string',
  microTime: 'string',
  intOrString: 'int32',
  json: 'v1.JSON',
};

function typeName(type: Type, named: string | undefined): string {
  switch (type.is) {
    case 'scalar':
      return (type.scalar.name === 'string' ? named : undefined) ?? SCALAR_TYPES[type.scalar.name] ?? type.scalar.name;
    case 'message': {
      const { name } = type.message();
      return name.slice(name.lastIndexOf('/') + 1);
    }
    case 'list':
      return named === LISTS_IN_MAPS ? named : `[]${typeName(type.of, named)}`;
    case 'map':
      return mapName(type.of);
  }
}

function mapName(of: Type): string {
  if (of.is === 'scalar' && of.scalar.name === 'quantity') return 'v1.ResourceList';
  if (of.is === 'scalar' && of.scalar.name === 'time') return 'map[string]v1.Time';
  return `map[string]${of.is === 'list' ? LISTS_IN_MAPS : typeName(of, undefined)}`;
}

const NUMBERS: ReadonlySet<string> = new Set(['int32', 'int64', 'double', 'intOrString']);

/** How the message names a value. Where a number was expected, the number itself is shown: it is too large, or not an integer. */
function wordFor(value: unknown, type: Type): string {
  const word = goJsonType(value);
  return type.is === 'scalar' && NUMBERS.has(type.scalar.name) ? numberOr(word, value) : word;
}

const numberOr = (word: string, value: unknown): string => (word === 'number' ? `number ${String(value)}` : word);

function ownText({ name }: Scalar, value: unknown): string | undefined {
  if (name === 'quantity') return quantityMisfit(value);
  if (typeof value !== 'string') return undefined;
  if (name === 'time' || name === 'microTime') return timeMisfit(value, name);
  return name === 'bytes' ? base64Misfit(value) : undefined;
}
