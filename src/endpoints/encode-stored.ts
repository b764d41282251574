import { cloneJson } from '#base';
import { objectTypeOf, toServedVersion, type ApiObject } from '#api';
import type { Codec, Negotiated } from '#codec';
import type { Stored } from '#registry';
import { partialOf, partialType } from './represent-partial.ts';
import type { Representation } from './verb-context.ts';

/** The codec of the answer. */
export const codecOf = (context: Pick<Representation, 'accepted' | 'env'>): Codec => context.env.codecs[context.accepted.codec];

/**
 * The bytes of one entry in the negotiated format and version. Encoded once per entry, format and version, and cached with the entry; JSON of the
 * storage version is the stored bytes themselves.
 */
export function encodeStored(context: Representation, codec: Codec, stored: Stored): Uint8Array {
  const { route, accepted, env } = context;
  const { served, resource } = route;
  const isPartial = isPartialMetadata(accepted);
  if (!isPartial && codec === env.codecs.json && served === resource.storage) return asLine(stored.json);
  const form = isPartial ? `partial ${accepted.asVersion}` : served.apiVersion;
  const name = `${codec.mediaType} ${form}`;
  let bytes = stored.encodings.get(name);
  if (bytes === undefined) {
    bytes = isPartial
      ? codec.encode(partialType, partialOf(context, stored.object))
      : codec.encode(objectTypeOf(served.schema), servedObject(context, stored));
    stored.encodings.set(name, bytes);
  }
  return bytes;
}

const LINE_END = 0x0a;

/** Stored JSON ends with a line feed; that of a dry run, which has no revision, may not. */
const asLine = (json: Uint8Array): Uint8Array => (json[json.length - 1] === LINE_END ? json : Buffer.concat([json, Buffer.of(LINE_END)]));

/** Whether metadata alone was negotiated, for one object or for a list; the route says which of them it is. */
export const isPartialMetadata = ({ as }: Negotiated): boolean => as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList';

/** The stored object in the served version. It may be the stored one itself, and must not be changed. */
export function servedObject({ route: { served } }: Representation, { object }: Stored): ApiObject {
  if (served.down !== undefined) return toServedVersion(served, cloneJson(object));
  return object.apiVersion === served.apiVersion ? object : { ...object, apiVersion: served.apiVersion };
}
