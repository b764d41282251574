import type { ReplyHeaders } from './context.ts';

/**
 * Applies `add` to the headers of replies, and keeps the last result. Replies that share one headers object, as those of one media type do, share the
 * result as well: nothing is copied per reply.
 */
export function headersOnce(add: (headers: ReplyHeaders) => ReplyHeaders): (headers: ReplyHeaders) => ReplyHeaders {
  let last: { readonly given: ReplyHeaders; readonly made: ReplyHeaders } | undefined;
  return (given) => {
    if (last?.given !== given) last = { given, made: add(given) };
    return last.made;
  };
}
