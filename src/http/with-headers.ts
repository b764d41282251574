import { replaceHeaders, type Reply, type ReplyHeaders } from '#request';

/** The same response with further headers; existing names are replaced. */
export function withHeaders(reply: Reply, extra: ReplyHeaders): Reply {
  return replaceHeaders(reply, { ...reply.headers, ...extra });
}
