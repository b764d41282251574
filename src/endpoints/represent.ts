import type { ApiObject } from '#api';
import { throwInApiTerms, type Stored } from '#registry';
import type { Reply } from '#request';
import type { MessageType } from '#schema';
import { checkForm } from './check-form.ts';
import { codecOf, encodeStored, isPartialMetadata } from './encode-stored.ts';
import { replyBytes } from './reply-bytes.ts';
import { partialOf, partialType } from './represent-partial.ts';
import { tableReply } from './represent-table.ts';
import type { VerbContext } from './verb-context.ts';

/** Replies with one stored object in the negotiated form. Throws `ApiError`: that an entry cannot be read may show only here. @spec 4.7 */
export function replyObject(context: VerbContext, status: number, stored: Stored): Reply | Promise<Reply> {
  checkForm(context, 'item');
  try {
    if (context.accepted.as === 'Table') return tableReply(context, status, [stored]).catch(throwInApiTerms);
    const codec = codecOf(context);
    return replyBytes(context, status, encodeStored(context, codec, stored), codec.mediaType);
  } catch (cause) {
    return throwInApiTerms(cause);
  }
}

/** Replies with an object that is not stored, or with a part of one. */
export function replyPart(context: VerbContext, status: number, type: MessageType, part: ApiObject): Reply {
  checkForm(context, 'item', part.kind);
  const codec = codecOf(context);
  const bytes = isPartialMetadata(context.accepted) ? codec.encode(partialType, partialOf(context, part)) : codec.encode(type, part);
  return replyBytes(context, status, bytes, codec.mediaType);
}
