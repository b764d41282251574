import { badRequest } from '#errors';
import { decode, DecodeFailure, type FieldFacts, type MessageClass, type MessageType, type Type } from '#schema';
import { parseBoolean, parseInteger } from '#codec';
import { notAnInteger } from '../options.ts';

/** Options of a connecting subresource, read from the query; members it does not name are not looked at. Throws `BadRequest`. */
export function readConnectOptions<T>(schema: MessageClass<T>, query: URLSearchParams): T {
  try {
    return decode(schema.type, textsOf(schema.type, query)) as T;
  } catch (cause) {
    if (cause instanceof DecodeFailure) throw badRequest(cause.message, cause);
    throw cause;
  }
}

function textsOf({ fields }: MessageType, query: URLSearchParams): Record<string, unknown> {
  const given = [...fields].filter(([name]) => query.has(name));
  return Object.fromEntries(given.map(([name, facts]) => [name, valueOf(name, facts, query)]));
}

function valueOf(name: string, { type }: FieldFacts, query: URLSearchParams): unknown {
  if (type.is === 'list') return query.getAll(name).map((text) => scalarOf(type.of, text));
  const text = query.get(name) ?? '';
  return text === '' && (type.is !== 'scalar' || type.scalar.name !== 'bool') ? undefined : scalarOf(type, text);
}

function scalarOf(type: Type, text: string): unknown {
  const kind = type.is === 'scalar' ? type.scalar.name : '';
  if (kind === 'bool') return parseBoolean(text);
  if (kind !== 'int32' && kind !== 'int64') return text;
  const value = parseInteger(text);
  if (value === undefined) throw notAnInteger(text);
  return value;
}
