import type { Revision } from './entry.ts';

/** The largest unsigned 64-bit number. */
const LARGEST = 2n ** 64n - 1n;
const DIGITS_OF_LARGEST = 20;

/**
 * Parses the `resourceVersion` of a client; 0 means "any". No store reaches 2^53, so larger values become `MAX_SAFE_INTEGER`. undefined: not a
 * revision (empty, not digits only, more than 64 bits); the caller words the error. @spec 4.6
 */
export function parseRevision(text: string): Revision | 0 | undefined {
  if (text === '') return undefined;
  let revision = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    revision = revision * 10 + digit;
  }
  if (Number.isSafeInteger(revision)) return revision;
  const isTooLarge = !Number.isFinite(revision) || revision >= 10 ** DIGITS_OF_LARGEST || BigInt(text) > LARGEST;
  return isTooLarge ? undefined : Number.MAX_SAFE_INTEGER;
}

/** The revision as a `resourceVersion`. */
export const formatRevision = (revision: Revision): string => String(revision);
