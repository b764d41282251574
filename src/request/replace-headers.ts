import type { Reply, ReplyHeaders } from './context.ts';

/** The same answer with these headers. Made member by member where that can be: most answers pass here several times. */
export function replaceHeaders(reply: Reply, headers: ReplyHeaders): Reply {
  return 'body' in reply ? { status: reply.status, headers, body: reply.body } : { ...reply, headers };
}
