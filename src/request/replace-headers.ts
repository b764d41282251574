import type { Reply, ReplyHeaders } from './context.ts';

/** The same response with these headers. Built property by property where possible, because most responses pass here several times. */
export function replaceHeaders(reply: Reply, headers: ReplyHeaders): Reply {
  return 'body' in reply ? { status: reply.status, headers, body: reply.body } : { ...reply, headers };
}
