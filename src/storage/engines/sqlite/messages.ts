import type { Key, Revision } from '../../engine.ts';

/** One write of a group; its value lies in the bytes that come along. */
export interface WriteOrder {
  readonly key: Key;
  readonly expect: Revision;
  /** Absent: delete. */
  readonly valueAt?: { readonly start: number; readonly length: number };
  readonly expiresAtMs?: number;
}

/** What the writing thread is asked. One order at a time. */
export type Order =
  | { readonly kind: 'write'; readonly writes: readonly WriteOrder[]; readonly values: Uint8Array; readonly timeMs: number }
  /** Forgets a slice of what was replaced at or before a revision and a moment. */
  | { readonly kind: 'sweep'; readonly upTo: Revision; readonly untilMs: number }
  | { readonly kind: 'close' };

/** `previous`: what stood there before; 0: nothing. */
export type Outcome = { readonly done: true; readonly revision: Revision; readonly previous: Revision } | { readonly done: false; readonly found: Revision };

export type Answer =
  | { readonly kind: 'written'; readonly outcomes: readonly Outcome[]; readonly head: Revision }
  | { readonly kind: 'swept'; readonly finished: boolean; readonly dropped: readonly Revision[] }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly why: string };
