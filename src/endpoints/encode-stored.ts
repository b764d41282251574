import { cloneJson } from '#base';
import { objectTypeOf, type ApiObject } from '#api';
import { pretty, type Codec, type Negotiated } from '#codec';
import type { Reply, ReplyHeaders } from '#request';
import type { Stored } from '#registry';
import { toServed } from './decode-body.ts';
import { replyMade, type MadeDocument } from './made-document.ts';
import { prettyPieces } from './pretty-pieces.ts';
import { partialOf, partialType } from './represent-partial.ts';
import { Turns } from './turns.ts';
import type { Shown, VerbContext } from './verb-context.ts';

/** The codec of the answer. */
export const codecOf = (context: Pick<Shown, 'accepted' | 'env'>): Codec => context.env.codecs[context.accepted.codec];

/** An answer with bytes that are there as a whole, indented where the caller wants that. */
export function replyBytes(context: VerbContext, status: number, bytes: Uint8Array, contentType: string): Reply {
  return { status, headers: headersOf(contentType), body: isPretty(context) ? pretty(bytes) : bytes };
}

/** What is too long for one turn of the event loop leaves in pieces. */
export async function replyPieces(context: VerbContext, status: number, pieces: readonly Uint8Array[]): Promise<Reply> {
  const headers = headersOf(codecOf(context).mediaType);
  return isPretty(context) ? replyMade(status, headers, prettyPieces([pieces], new Turns(context.request))) : { status, headers, body: pieces };
}

/** The same of what is made for this answer alone. */
export function replyDocument(context: VerbContext, status: number, document: MadeDocument): Promise<Reply> {
  const shown = isPretty(context) ? prettyPieces(document, new Turns(context.request)) : document;
  return replyMade(status, headersOf(codecOf(context).mediaType), shown);
}

const isPretty = ({ accepted }: Shown): boolean => accepted.codec === 'json' && accepted.pretty === true;

/** One object for all answers of a media type: those who add to it need not do so for each (`headersOnce`). */
const headersByType = new Map<string, ReplyHeaders>();

function headersOf(contentType: string): ReplyHeaders {
  let headers = headersByType.get(contentType);
  if (headers === undefined) headersByType.set(contentType, (headers = { 'content-type': contentType }));
  return headers;
}

/**
 * The bytes of one entry in the wanted format and version. Made once per entry, format and version, whoever asks;
 * JSON of the stored version is the entry itself.
 */
export function encodeStored(context: Shown, codec: Codec, stored: Stored): Uint8Array {
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

/** What has no revision (dry runs) may be none. */
const asLine = (json: Uint8Array): Uint8Array => (json[json.length - 1] === LINE_END ? json : Buffer.concat([json, Buffer.of(LINE_END)]));

/** As an item or as a list of them: the route says which. */
export const isPartialMetadata = ({ as }: Negotiated): boolean => as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList';

/** A copy in the served version. */
export function servedObject({ route }: Shown, stored: Stored): ApiObject {
  return toServed(route.served, cloneJson(stored.object));
}
