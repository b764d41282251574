import type { Status } from '#errors';
import { decodeBody, unrecognized } from './body.ts';
import type { Codec, ListEnvelope } from './codec.ts';
import { itemKindToDrop } from './list-items.ts';
import { parseYaml, YamlError } from './yaml-reader.ts';
import { formatYaml } from './yaml-writer.ts';

/** Objects as YAML, for people. Not made for speed, and not for streams. @spec 4.7 */
export function createYamlCodec(): Codec {
  return {
    mediaType: 'application/yaml',
    streamMediaType: 'application/yaml;stream=watch',
    decode: (expected, bytes, unknownFields) => {
      let body: unknown;
      try {
        body = parseYaml(bytes);
      } catch (error) {
        if (error instanceof YamlError) throw unrecognized(expected, error.message, bytes);
        throw error;
      }
      return decodeBody(expected, body, bytes, unknownFields);
    },
    encode: (_type, object) => toBytes(object),
    encodeStatus: (status: Status) => toBytes(status),
    list: (envelope, items) => [joinList(envelope, items)],
    frame: (event, body) => Buffer.from(`---\n${formatYaml({ type: event, object: parseYaml(body) })}`),
  };
}

const toBytes = (value: unknown): Uint8Array => Buffer.from(formatYaml(value));

/** Depth changes where lines break: items are written anew. */
function joinList(envelope: ListEnvelope, items: readonly Uint8Array[]): Uint8Array {
  const { kind, apiVersion, metadata } = envelope;
  const itemKind = itemKindToDrop(envelope);
  const values = items.map((item) => withoutKind(parseYaml(item) as Record<string, unknown>, itemKind));
  return toBytes({ apiVersion, kind, metadata, items: values });
}

function withoutKind(item: Record<string, unknown>, itemKind: string | undefined): Record<string, unknown> {
  if (itemKind === undefined || item['kind'] !== itemKind) return item;
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = item;
  return rest;
}
