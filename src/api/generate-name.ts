const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_LENGTH = 63;

/**
 * A name from a prefix: five letters and digits that spell no words are added, and the prefix is cut so that the whole fits a label.
 * @spec 2.2
 */
export function generateName(prefix: string): string {
  const base = prefix.slice(0, MAX_LENGTH - SUFFIX_LENGTH);
  const random = crypto.getRandomValues(new Uint8Array(SUFFIX_LENGTH * 2));
  let suffix = '';
  for (const byte of random) {
    if (suffix.length < SUFFIX_LENGTH && byte < ALPHABET.length * 9) suffix += ALPHABET[byte % ALPHABET.length];
  }
  return suffix.length === SUFFIX_LENGTH ? base + suffix : generateName(prefix);
}
