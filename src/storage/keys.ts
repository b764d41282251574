import { isLongerThan } from '#base';
import type { Key } from './entry.ts';

/** In UTF-8. Most kinds limit names to 253 characters; others, such as roles, do not, and the whole key must still fit into an engine. */
export const MAX_COMPONENT_BYTES = 1024;

/** Whether a text may be one component of a key: not empty, not too long, not `.` or `..`, no `/`, no control characters, no lone surrogates. */
export function isKeyComponent(text: string): boolean {
  if (text === '' || text === '.' || text === '..' || isLongerThan(text, MAX_COMPONENT_BYTES)) return false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // Control characters, '/', DEL.
    if (unit < 0x20 || unit === 0x2f || unit === 0x7f) return false;
    if ((unit & 0xf800) !== 0xd800) continue;
    // A lone surrogate is not a character.
    if (unit >= 0xdc00 || (text.charCodeAt(++i) & 0xfc00) !== 0xdc00) return false;
  }
  return true;
}

/** The exclusive end of the range of all keys under `prefix` (which ends in `/`), or of the range that holds just one key. */
export function endOf(prefix: Key): Key {
  // '0' is the character after '/', and no character of a key sorts before the space.
  return prefix.endsWith('/') ? `${prefix.slice(0, -1)}0` : `${prefix} `;
}

/** The first key of a list. `from` may come from a client's continue token: throws `RangeError` when it is not under `prefix`. */
export function startOf({ prefix, from }: { readonly prefix: Key; readonly from?: Key | undefined }): Key {
  if (from === undefined) return prefix;
  if (!from.startsWith(prefix)) throw new RangeError(`${from} is not under ${prefix}`);
  return from;
}

/** Whether `key` is under `prefix` (which ends in `/`), or equal to it where `prefix` is one whole key. */
export const isUnder = (key: Key, prefix: Key): boolean => key === prefix || (prefix.endsWith('/') && key.startsWith(prefix));

/** Returns `text` unchanged; throws `RangeError` when it cannot be one component of a key. */
export function component(text: string): string {
  if (isKeyComponent(text)) return text;
  throw new RangeError(`${JSON.stringify(text.slice(0, MAX_COMPONENT_BYTES))} cannot be part of a key`);
}
