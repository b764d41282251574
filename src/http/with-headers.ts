import { replaceHeaders, type Reply, type ReplyHeaders } from '#request';

/** The same answer with more headers; names already there are replaced. */
export function withHeaders(reply: Reply, extra: ReplyHeaders): Reply {
  return replaceHeaders(reply, { ...reply.headers, ...extra });
}
