import type { Received } from './context.ts';

/** As it stood in the request line; a query that was read is written anew. */
export function uriOf({ path, query }: Received): string {
  const asked = query.toString();
  return asked === '' ? path : `${path}?${asked}`;
}

/** A text of which the caller wrote parts, for an answer that a browser may take for a page. */
export const withoutMarkup = (text: string): string => (MARKUP.test(text) ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') : text);

const MARKUP = /[&<>]/;
