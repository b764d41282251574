import type { Received } from './context.ts';
import { decodePath } from './decode-path.ts';

/** The first value of a header as text, empty where the header is absent. */
export const headerText = (headers: Received['headers'], name: string): string => textOfHeader(headers.get(name)?.[0] ?? '');

/** Decodes the raw value of a header: each of its characters is one byte, and clients that put names into headers encode them in UTF-8. */
export function textOfHeader(value: string): string {
  for (let at = 0; at < value.length; at++) if (value.charCodeAt(at) > LAST_ASCII) return Buffer.from(value, 'latin1').toString('utf8');
  return value;
}

const LAST_ASCII = 0x7f;

/** The key of a user's extra field from the name of its header: header names arrive in lower case, and invalid percent-encoding stands for itself. */
export function extraKeyIn(name: string): string {
  try {
    return decodePath(name);
  } catch {
    return name;
  }
}
