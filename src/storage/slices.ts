import type { Engine, Entry, Key, Revision, Scan } from './engine.ts';

/** The most entries, and bytes of values, that one turn of the event loop reads. */
const SLICE_ENTRIES = 500;
const SLICE_BYTES = 2 * 1024 * 1024;

/** A part of a scan, small enough for one turn of the event loop. */
export interface Slice {
  readonly entries: readonly Entry[];
  /** The key at which the next slice begins; undefined: this was the last one. */
  readonly next: Key | undefined;
  readonly revision: Revision;
  readonly total?: number;
}

/** Reads the first slice of `range`: at most `limit` entries, possibly fewer. Throws `StorageFailure`. */
export async function scanSlice(engine: Engine, { limit = Infinity, ...range }: Omit<Scan, 'maxBytes'>): Promise<Slice> {
  const size = Math.min(limit, SLICE_ENTRIES);
  // One entry more than wanted: its key is where the next slice begins.
  const { entries, more, revision, total } = await engine.scan({ ...range, limit: size + 1, maxBytes: SLICE_BYTES });
  const isCut = more || entries.length > size;
  const taken = isCut ? entries.slice(0, Math.min(size, entries.length - 1)) : entries;
  return { entries: taken, next: entries[taken.length]?.key, revision, ...(total === undefined ? {} : { total }) };
}
