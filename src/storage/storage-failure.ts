import type { Revision } from './entry.ts';

/**
 * `compacted`: the history at that revision has been removed. `future`: the revision does not exist yet. `full`: no space to write; reads still work.
 * `tooLarge`: the value exceeds what the store is configured to take. `unavailable`: the store cannot be reached or used. `contended`: others were faster again and again. `corrupt`: it is damaged.
 */
export type StorageFailureCode = 'compacted' | 'future' | 'full' | 'tooLarge' | 'unavailable' | 'contended' | 'corrupt';

/** The only error an engine throws. */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure';
  readonly code: StorageFailureCode;
  /** With `compacted`: the oldest revision still kept. With `future`: the newest one there is. */
  readonly revision: Revision | undefined;
  /** Of a write (`unavailable`): it was sent, and may have been done. */
  readonly isUnconfirmed: boolean;

  constructor(code: StorageFailureCode, message: string, options?: { readonly cause?: unknown; readonly revision?: Revision; readonly isUnconfirmed?: boolean }) {
    super(message, { cause: options?.cause });
    this.code = code;
    this.revision = options?.revision;
    this.isUnconfirmed = options?.isUnconfirmed ?? false;
  }
}

/** The failure of reading at, or compacting to, a revision that does not exist yet. */
export const futureFailure = (at: Revision, newest: Revision): StorageFailure =>
  new StorageFailure('future', `revision ${at} does not exist yet; the newest one is ${newest}`, { revision: newest });

/** The failure of reading at or following from a revision that was compacted. `oldest`: the oldest one that is kept; undefined: not known. */
export const compactedFailure = (at: Revision, oldest: Revision | undefined): StorageFailure =>
  oldest === undefined
    ? new StorageFailure('compacted', `revision ${at} is no longer kept`)
    : new StorageFailure('compacted', `revision ${at} is no longer kept; the oldest one is ${oldest}`, { revision: oldest });

/**
 * The failure of a write that was sent and may have been done, whatever it failed of: its caller is to look before the write is tried again, which the other
 * codes do not say.
 */
export const unconfirmedFailure = (failure: StorageFailure): StorageFailure =>
  new StorageFailure('unavailable', failure.message, { cause: failure, isUnconfirmed: true });

/** The failure of a call after the engine was closed. */
export const closedFailure = (): StorageFailure => new StorageFailure('unavailable', 'the store was closed');
