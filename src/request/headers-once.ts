import type { ReplyHeaders } from './context.ts';

/**
 * Adds what `add` gives to the headers of replies. Where replies share an object of headers, as those of one media type do, they share what comes
 * out as well: nothing is copied for a single one.
 */
export function headersOnce(add: (headers: ReplyHeaders) => ReplyHeaders): (headers: ReplyHeaders) => ReplyHeaders {
  let last: { readonly given: ReplyHeaders; readonly made: ReplyHeaders } | undefined;
  return (given) => {
    if (last?.given !== given) last = { given, made: add(given) };
    return last.made;
  };
}
