import { isKeyComponent } from './keys.ts';
import type { Key, Revision } from './engine.ts';

const VERSION = 'meta.k8s.io/v1';
/** A key and a revision fit many times over. */
const MAX_LENGTH = 4_096;

/** Right after a key. */
const AFTER = '\0';

/** Where a list goes on behind the last key that a page had, whatever is there by then. */
export const pageAfter = (last: Key): Key => last + AFTER;

/** Where the next page begins, and as of when. */
export interface ContinueToken {
  /** -1: as of now (the pages do not show one moment any more). */
  readonly revision: Revision | -1;
  readonly from: Key;
}

/** Opaque to clients. `from` must lie under `prefix`: only what follows it is in the token. @spec 4.4 */
export function encodeContinueToken({ revision, from, prefix }: ContinueToken & { readonly prefix: Key }): string {
  if (!from.startsWith(prefix)) throw new RangeError(`${from} is not under ${prefix}`);
  const text = JSON.stringify({ v: VERSION, rv: revision, start: from.slice(prefix.length) });
  return Buffer.from(text).toString('base64url');
}

/** undefined: this is no token of ours, or one that was tampered with. What it leads to lies under `prefix`. */
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
