import type { Stored } from '#registry';
import type { Reply } from '#request';
import { checkForm } from './check-form.ts';
import { codecOf, encodeStored, replyBytes } from './encode-stored.ts';
import { tableReply } from './represent-table.ts';
import type { VerbContext } from './verb-context.ts';

/** One object as the caller asked for it. @spec 4.7 */
export function replyObject(context: VerbContext, status: number, stored: Stored): Reply | Promise<Reply> {
  checkForm(context, false);
  if (context.accepted.as === 'Table') return tableReply(context, status, [stored]);
  const codec = codecOf(context);
  return replyBytes(context, status, encodeStored(context, codec, stored), codec.mediaType);
}
