import type { Received } from './context.ts';

/** The first value of a header as text, empty where there is none. */
export const headerText = (headers: Received['headers'], name: string): string => textOfHeader(headers.get(name)?.[0] ?? '');

/** A value of a header as text: what came are bytes, each as a character, and whoever puts names into headers writes them in UTF-8. */
export function textOfHeader(value: string): string {
  for (let at = 0; at < value.length; at++) if (value.charCodeAt(at) > LAST_ASCII) return Buffer.from(value, 'latin1').toString('utf8');
  return value;
}

const LAST_ASCII = 0x7f;

/** The key of an extra of a user, as the name of a header says it: names come in lower case, and what is no percent-encoding stands for itself. */
export function extraKeyIn(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
