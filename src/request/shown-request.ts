import type { Received } from './context.ts';

/** As it stood in the request line. */
export const uriOf = ({ path, rawQuery }: Pick<Received, 'path' | 'rawQuery'>): string => (rawQuery === '' ? path : `${path}?${rawQuery}`);

/** A text of which the caller wrote parts, for an answer that a browser may take for a page. */
export const withoutMarkup = (text: string): string => (MARKUP.test(text) ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') : text);

const MARKUP = /[&<>]/;
