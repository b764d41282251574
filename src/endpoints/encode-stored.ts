import { cloneJson, pretty } from '#base';
import { objectTypeOf, toServedVersion, type ApiObject } from '#api';
import type { Codec, Negotiated } from '#codec';
import type { Reply, ReplyHeaders } from '#request';
import type { Stored } from '#registry';
import { replyGenerated, type GeneratedDocument } from './generated-document.ts';
import { prettyPieces } from './pretty-pieces.ts';
import { partialOf, partialType } from './represent-partial.ts';
import { Turns } from './turns.ts';
import type { Representation, VerbContext } from './verb-context.ts';

/** The codec of the answer. */
export const codecOf = (context: Pick<Representation, 'accepted' | 'env'>): Codec => context.env.codecs[context.accepted.codec];

/** A reply with bytes that are there as a whole, indented where the client asked for that. */
export function replyBytes(context: VerbContext, status: number, bytes: Uint8Array, contentType: string): Reply {
  return { status, headers: headersOf(contentType), body: isPretty(context) ? pretty(bytes) : bytes };
}

/** A reply in pieces, for documents that are too long to be made in one turn of the event loop. */
export async function replyPieces(context: VerbContext, status: number, pieces: readonly Uint8Array[]): Promise<Reply> {
  const headers = headersOf(codecOf(context).mediaType);
  return isPretty(context) ? replyGenerated(status, headers, prettyPieces([pieces], new Turns(context.request))) : { status, headers, body: pieces };
}

/** A reply with a document that is made for this reply alone. */
export function replyDocument(context: VerbContext, status: number, document: GeneratedDocument): Promise<Reply> {
  const shown = isPretty(context) ? prettyPieces(document, new Turns(context.request)) : document;
  return replyGenerated(status, headersOf(codecOf(context).mediaType), shown);
}

const isPretty = ({ accepted }: Representation): boolean => accepted.codec === 'json' && accepted.pretty === true;

/** One headers object for all replies of a media type, so that stages that add headers need not do so for every reply (`headersOnce`). */
const headersByType = new Map<string, ReplyHeaders>();

function headersOf(contentType: string): ReplyHeaders {
  let headers = headersByType.get(contentType);
  if (headers === undefined) headersByType.set(contentType, (headers = { 'content-type': contentType }));
  return headers;
}

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
