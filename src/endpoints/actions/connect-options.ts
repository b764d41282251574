import { badRequest, noNumber } from '#errors';
import { decode, DecodeFailure, type FieldFacts, type MessageClass, type MessageType, type Type } from '#schema';
import { parseBoolean, parseInteger } from '#codec';
import { notAnInteger } from '../options.ts';

/** Reads the options of a connecting subresource from the query; parameters that the schema does not have are ignored. Throws `BadRequest`. */
export function readConnectOptions<T>(schema: MessageClass<T>, query: URLSearchParams): T {
  try {
    return decode(schema.type, textsOf(schema.type, query)) as T;
  } catch (cause) {
    if (cause instanceof DecodeFailure) throw badRequest(cause.wireText, cause);
    throw cause;
  }
}

function textsOf({ fields }: MessageType, query: URLSearchParams): Record<string, unknown> {
  const given = [...fields].filter(([name]) => query.has(name));
  return Object.fromEntries(given.map(([name, facts]) => [name, valueOf(name, facts, query)]));
}

function valueOf(name: string, { type }: FieldFacts, query: URLSearchParams): unknown {
  if (type.is === 'list') return kindOf(type.of) === 'int32' ? portsOf(query.getAll(name)) : query.getAll(name);
  const text = query.get(name) ?? '';
  return text === '' && !ASKED_BY_NAME.has(kindOf(type)) ? undefined : scalarOf(type, text);
}

/** Of these types, a parameter without a value is `true` or an invalid number; of the others it counts as absent. */
const ASKED_BY_NAME: ReadonlySet<string> = new Set(['bool', 'int32', 'int64']);

const kindOf = (type: Type): string => (type.is === 'scalar' ? type.scalar.name : '');

/** Ports in repeated parameters, or separated by commas. */
const portsOf = (texts: readonly string[]): readonly number[] => texts.flatMap((text) => text.split(',')).map(portOf);

function portOf(text: string): number {
  const port = /^[0-9]+$/.test(text) ? Number(text) : Infinity;
  if (port > MAX_PORT) throw badRequest(`cannot convert to []int32: ${noNumber('ParseUint', text)}`);
  return port;
}

const MAX_PORT = 65_535;

function scalarOf(type: Type, text: string): unknown {
  const kind = kindOf(type);
  if (kind === 'bool') return parseBoolean(text);
  if (kind !== 'int32' && kind !== 'int64') return text;
  const value = parseInteger(text);
  if (value === undefined) throw notAnInteger(text);
  return value;
}
