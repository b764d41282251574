import { pretty } from '#base';
import type { Reply, ReplyHeaders } from '#request';
import { codecOf } from './encode-stored.ts';
import { replyGenerated, type GeneratedDocument } from './generated-document.ts';
import { prettyPieces } from './pretty-pieces.ts';
import { Turns } from './turns.ts';
import type { Representation, VerbContext } from './verb-context.ts';

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
