import type { Revision } from './engine.ts';

const DIGITS_OF_A_SAFE_INTEGER = 16;

/**
 * The revision a client names as `resourceVersion`; 0 means "any". undefined: this is no revision (empty, not digits only, beyond 2^53),
 * and the caller says so in the words of its request. @spec 4.6
 */
export function parseRevision(text: string): Revision | 0 | undefined {
  if (text === '' || text.length > DIGITS_OF_A_SAFE_INTEGER) return undefined;
  let revision = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    revision = revision * 10 + digit;
  }
  return Number.isSafeInteger(revision) ? revision : undefined;
}

/** The revision as clients see it. */
export const formatRevision = (revision: Revision): string => String(revision);
