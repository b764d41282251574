import type { Key, Revision } from './entry.ts';
import { isKeyComponent } from './keys.ts';

const VERSION = 'meta.k8s.io/v1';
/** In characters: several times what a key and a revision need. */
const MAX_LENGTH = 4_096;

/** Appended to a key it gives the first key that sorts after it. */
const AFTER = '\0';

/** The key at which the page after `last` begins, whatever is stored by then. */
export const pageAfter = (last: Key): Key => last + AFTER;

/** Where the next page of a list begins, and which revision it shows. */
export interface ContinueToken {
  /** -1: the newest revision, because the one of the first page was compacted: the list is inconsistent. */
  readonly revision: Revision | -1;
  readonly from: Key;
}

/** The token of a list's next page, opaque to clients. Holds `from` without `prefix`; throws `RangeError` when `from` is not under it. @spec 4.4 */
export function encodeContinueToken({ revision, from, prefix }: ContinueToken & { readonly prefix: Key }): string {
  if (!from.startsWith(prefix)) throw new RangeError(`${from} is not under ${prefix}`);
  const text = JSON.stringify({ v: VERSION, rv: revision, start: from.slice(prefix.length) });
  return Buffer.from(text).toString('base64url');
}

/** Reads a token that `encodeContinueToken` made; undefined for any other text. The key that results always lies under `prefix`. */
export function decodeContinueToken(token: string, prefix: Key): ContinueToken | undefined {
  if (token.length > MAX_LENGTH || !/^[A-Za-z0-9_-]+={0,2}$/.test(token)) return undefined;
  const { v, rv, start } = parse(Buffer.from(token, 'base64url').toString());
  if (v !== VERSION || typeof start !== 'string') return undefined;
  const last = start.endsWith(AFTER) ? start.slice(0, -AFTER.length) : start;
  if (!last.split('/').every(isKeyComponent)) return undefined;
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || (rv !== -1 && rv < 1)) return undefined;
  return { revision: rv, from: prefix + start };
}

function parse(text: string): { readonly v?: unknown; readonly rv?: unknown; readonly start?: unknown } {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}
