import type { Given, Key, Revision } from '../../engine.ts';

/** One write of a group; its value lies in the bytes that come along. */
export interface WriteOrder {
  readonly key: Key;
  readonly expect: Revision;
  /** Absent: delete. */
  readonly valueAt?: { readonly start: number; readonly length: number };
  readonly expiresAtMs?: number;
  readonly given?: readonly Given[];
}

/** What the writing thread is asked. One order at a time. */
export type Order =
  | { readonly kind: 'write'; readonly writes: readonly WriteOrder[]; readonly values: Uint8Array; readonly timeMs: number }
  /**
   * Forgets a slice of what was replaced at or before a revision, and `historyMs` ago or earlier; or by a clock that was further ahead than that
   * before somebody put it back: it would have to be kept until its time has come, and all that was written since behind it.
   */
  | { readonly kind: 'sweep'; readonly upTo: Revision; readonly nowMs: number; readonly historyMs: number }
  | { readonly kind: 'close' };

/** `previous`: what stood there before; 0: nothing. */
export type Outcome = { readonly done: true; readonly revision: Revision; readonly previous: Revision } | { readonly done: false; readonly found: Revision; readonly lapsed?: true };

export type Answer =
  | { readonly kind: 'written'; readonly outcomes: readonly Outcome[]; readonly head: Revision }
  | { readonly kind: 'swept'; readonly finished: boolean; readonly dropped: readonly Revision[] }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly why: string };
