import type { Received } from './context.ts';

/** The request target without scheme and host: path and query as sent. */
export const uriOf = ({ path, rawQuery }: Pick<Received, 'path' | 'rawQuery'>): string => (rawQuery === '' ? path : `${path}?${rawQuery}`);

/** Escapes `&`, `<` and `>` in a text that contains input of the client, for a response that a browser may render as HTML. */
export const withoutMarkup = (text: string): string => (MARKUP.test(text) ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') : text);

const MARKUP = /[&<>]/;
