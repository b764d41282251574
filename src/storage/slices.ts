import type { Engine, Entry, Key, Revision, Scan } from './engine.ts';

/** Entries read in one turn of the event loop, and their bytes: most are small, and some are not. */
const SLICE_ENTRIES = 500;
const SLICE_BYTES = 2 * 1024 * 1024;

/** A part of a scan, as much of it as one turn is for. */
export interface Slice {
  readonly entries: readonly Entry[];
  /** Where the scan goes on; undefined: nowhere, this was the last part. */
  readonly next: Key | undefined;
  readonly revision: Revision;
  readonly total?: number;
}

/** Reads `range` from its start. `limit`: of entries that are wanted; a slice may have fewer of them. */
export async function scanSlice(engine: Engine, { limit = Infinity, ...range }: Omit<Scan, 'maxBytes'>): Promise<Slice> {
  const size = Math.min(limit, SLICE_ENTRIES);
  // One more than wanted: where the next slice begins.
  const { entries, more, revision, total } = await engine.scan({ ...range, limit: size + 1, maxBytes: SLICE_BYTES });
  const isCut = more || entries.length > size;
  const taken = isCut ? entries.slice(0, Math.min(size, entries.length - 1)) : entries;
  return { entries: taken, next: entries[taken.length]?.key, revision, ...(total === undefined ? {} : { total }) };
}
