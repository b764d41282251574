import { getRandomValues } from '#base';

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
/** In UTF-8, as the bound of a label is. */
const MAX_BYTES = 63;
const MOST_PER_UNIT = 3;

const encoder = new TextEncoder();
const room = new Uint8Array(MAX_BYTES - SUFFIX_LENGTH);

/**
 * A name from a prefix: five letters and digits that spell no words are added, and the prefix is cut, behind a whole character, so that the whole fits a
 * label.
 * @spec 2.2
 */
export function generateName(prefix: string): string {
  const random = getRandomValues(new Uint8Array(SUFFIX_LENGTH * 2));
  let suffix = '';
  for (const byte of random) {
    if (suffix.length < SUFFIX_LENGTH && byte < ALPHABET.length * 9) suffix += ALPHABET[byte % ALPHABET.length];
  }
  return suffix.length === SUFFIX_LENGTH ? cut(prefix) + suffix : generateName(prefix);
}

const cut = (prefix: string): string => (prefix.length * MOST_PER_UNIT <= room.length ? prefix : prefix.slice(0, encoder.encodeInto(prefix, room).read));
