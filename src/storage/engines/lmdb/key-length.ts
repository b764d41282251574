import type { Key } from '../../entry.ts';
import { isTooLong, MAX_KEY_BYTES } from '../../longest-key.ts';

/** Above every other character. */
const HIGHEST = '\u{10ffff}';

/** A place that LMDB can look for, between the same keys of a store as `place`: who reads may give a bound of any length, and LMDB refuses most long ones. */
export function placeOf(place: Key): Key {
  if (!isTooLong(place)) return place;
  // Characters that do not fit are cut off whole. What a store has below this beginning is shorter than `place`, and so comes before it.
  const { read } = new TextEncoder().encodeInto(place, new Uint8Array(MAX_KEY_BYTES));
  return place.slice(0, read) + HIGHEST;
}
