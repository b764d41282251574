import type { Precondition } from '../../engine.ts';
import type { Key, Revision } from '../../entry.ts';

/** One write of a group. Its value is a part of the request's `values`. */
export interface WriteRequest {
  readonly key: Key;
  readonly expect: Revision;
  /** Absent: delete. */
  readonly valueAt?: { readonly start: number; readonly length: number };
  readonly expiresAtMs?: number;
  readonly preconditions?: readonly Precondition[] | undefined;
}

/** A request to the writing thread, which takes one at a time. */
export type WriterRequest =
  | { readonly kind: 'write'; readonly writes: readonly WriteRequest[]; readonly values: Uint8Array; readonly timeMs: number }
  /**
   * Removes a slice of the values that were replaced at or before a revision and at least `historyMs` ago, or more than `historyMs` in the future:
   * such times were written before the clock was set back. Otherwise these values, and everything written after them, would be kept until the clock
   * has caught up.
   */
  | { readonly kind: 'sweep'; readonly upTo: Revision; readonly nowMs: number; readonly historyMs: number }
  | { readonly kind: 'close' };

/**
 * The outcome of one write. `previous`: the revision of the key before it; 0: the key did not exist. `found`, `preconditionFailed`: as in `Commit`, by
 * revision. `noSpace`: nothing stands against the write but the lack of disk space.
 */
export type WriteOutcome = { readonly done: true; readonly revision: Revision; readonly previous: Revision } | LostOutcome | { readonly done: false; readonly noSpace: true };
export type LostOutcome = { readonly done: false; readonly found: Revision; readonly preconditionFailed?: true };

/** The answer to a request. `failed`: the request had no effect; where it `isUnconfirmed`, it may have one when the file is opened the next time. */
export type WriterResponse =
  | { readonly kind: 'written'; readonly outcomes: readonly WriteOutcome[]; readonly head: Revision }
  | { readonly kind: 'swept'; readonly finished: boolean; readonly dropped: readonly Revision[] }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly why: string; readonly isUnconfirmed: boolean };
