import { parseWrittenJson } from '#base';
import type { Status } from '#errors';
import { decodeParsed, unrecognized } from './body.ts';
import type { Codec, ListEnvelope } from './codec.ts';
import { itemKindToDrop } from './list-items.ts';
import { Gathered, type Parts } from './parts.ts';
import { parseYaml, YamlError } from './yaml-reader.ts';
import { formatYaml } from './yaml-writer.ts';

/**
 * The YAML codec, for people: not optimized for speed or streams. Strings are folded at other places where an object is nested deeper, so lists and
 * frames are made from parts that `json` has encoded. @spec 4.7
 */
export function createYamlCodec(json: Codec): Codec {
  return {
    mediaType: 'application/yaml',
    streamMediaType: 'application/yaml;stream=watch',
    partCodec: json,
    frameHeadBytes: 0,
    isText: true,
    decode: (expected, bytes) => {
      let body: unknown;
      try {
        body = parseYaml(bytes);
      } catch (error) {
        if (error instanceof YamlError) throw unrecognized(expected, error.message, bytes);
        throw error;
      }
      return decodeParsed(expected, body, bytes);
    },
    encode: (_type, object) => toBytes(object),
    encodeStatus: (status: Status) => toBytes(status),
    list,
    table: ({ kind, apiVersion, metadata, columnDefinitions }) => partsIn({ apiVersion, columnDefinitions, kind, metadata }, 'rows', {}, ' []'),
    frame: (event, body) => Buffer.from(`---\n${formatYaml({ type: event, object: parseWrittenJson(body) })}`),
  };
}

const toBytes = (value: unknown): Uint8Array => Buffer.from(formatYaml(value));

function list(envelope: ListEnvelope): Parts<Uint8Array> {
  const { kind, apiVersion, metadata, isNullWhenEmpty } = envelope;
  const itemKind = itemKindToDrop(envelope);
  const parts = partsIn<unknown>({ apiVersion }, 'items', { kind, metadata }, isNullWhenEmpty === true ? ' null' : ' []');
  return { ...parts, add: (item) => parts.add(withoutKind(parseWrittenJson(item) as Record<string, unknown>, itemKind)) };
}

/**
 * An object with a list of parts, between the members that come before it in the order of keys and those that come after it. `empty`
 * stands for a list without parts.
 */
function partsIn<T>(before: object, member: string, behind: object, empty: string): Parts<T> {
  const gathered = new Gathered();
  let isBegun = false;
  const membersOf = (members: object): Uint8Array => (Object.keys(members).length === 0 ? Buffer.alloc(0) : toBytes(members));
  const begin = (list: string): void => {
    if (!isBegun) gathered.pieces.push(membersOf(before), Buffer.from(`${member}:${list}\n`));
    isBegun = true;
  };
  return {
    add: (part) => {
      begin('');
      // As lists are not indented below their key, a list with this part alone has the right form.
      gathered.pieces.push(toBytes([part]));
    },
    take: () => gathered.take(),
    end: () => {
      begin(empty);
      gathered.pieces.push(membersOf(behind));
      return gathered.take();
    },
  };
}

function withoutKind(item: Record<string, unknown>, itemKind: string | undefined): Record<string, unknown> {
  if (itemKind === undefined || item['kind'] !== itemKind) return item;
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = item;
  return rest;
}
