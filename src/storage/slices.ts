import type { Engine, Scan } from './engine.ts';
import type { Entry, Key, Revision } from './entry.ts';
import { StorageFailure } from './storage-failure.ts';

/** The most entries that one turn of the event loop reads. */
export const SLICE_ENTRIES = 500;
/** The most bytes of values. */
const SLICE_BYTES = 2 * 1024 * 1024;
/** How often a read of the newest state is begun at most. */
const ATTEMPTS = 8;

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
  const taken = isCut ? entries.slice(0, -1) : entries;
  return { entries: taken, next: entries[taken.length]?.key, revision, ...(total === undefined ? {} : { total }) };
}

/**
 * Runs a read of the newest state, which takes several slices as of the revision of the first one. Where that revision is forgotten meanwhile, as when
 * somebody else compacts etcd, it begins anew: who reads has asked for no certain revision. Throws what it throws, and `unavailable` where that comes
 * again and again.
 */
export async function readNewest<T>(read: () => Promise<T>): Promise<T> {
  for (let left = ATTEMPTS; ; ) {
    try {
      return await read();
    } catch (cause) {
      if (!(cause instanceof StorageFailure) || cause.code !== 'compacted') throw cause;
      if (--left === 0) throw new StorageFailure('unavailable', `the store forgets faster than it can be read: ${cause.message}`, { cause });
    }
  }
}
