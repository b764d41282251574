import type { Expiring } from '../../expiry.ts';
import type { Tables } from './database.ts';

/** The entries of the file that expire next, at most so many, in the order of time. Throws what reading the file throws. */
export function nextExpiring({ expiries }: Tables, limit: number): readonly Expiring[] {
  return [...expiries.getRange({ limit })].map(({ key: [atMs, key], value: revision }) => ({ atMs, key, revision }));
}

/** When the first of the entries in the file expires; without end: none does. Throws what reading the file throws. */
export const readFirstEnd = (tables: Tables): number => nextExpiring(tables, 1)[0]?.atMs ?? Infinity;
