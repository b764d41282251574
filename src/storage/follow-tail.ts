import type { Tail } from '#base';
import type { Change, Feed } from './engine.ts';
import type { Key, Revision } from './entry.ts';
import { StorageFailure } from './storage-failure.ts';

export interface Following {
  readonly prefix: Key;
  readonly after: Revision;
  readonly feed: Feed;
  readonly signal: AbortSignal;
}

/**
 * Implements `Engine.follow` with the tail of an engine's changes. `failureToFollow`: why following is not possible (the store is closed, or `after` was
 * compacted), which it returns or throws; `feed.lost` gets it in a microtask.
 */
export function followTail(tail: Tail<Change>, { prefix, after, feed, signal }: Following, failureToFollow: () => StorageFailure | undefined = () => undefined): void {
  if (signal.aborted) return;
  const failure = returnedOrThrown(failureToFollow);
  if (failure !== undefined) {
    queueMicrotask(() => feed.lost(failure));
    return;
  }
  const detach = tail.attach(after, {
    wants: (change) => change.key.startsWith(prefix),
    positionOf: (change) => change.revision,
    deliver: (changes, position) => feed.changes(changes, position),
    failed: (cause) => feed.lost(followerFailure(cause)),
  });
  signal.addEventListener('abort', detach, { once: true });
}

/** Why a follower is told no more: a `StorageFailure` as it is, and anything else that was thrown as one. */
export const followerFailure = (cause: unknown): StorageFailure =>
  cause instanceof StorageFailure ? cause : new StorageFailure('unavailable', 'the follower failed', { cause });

function returnedOrThrown(failure: () => StorageFailure | undefined): StorageFailure | undefined {
  try {
    return failure();
  } catch (cause) {
    return followerFailure(cause);
  }
}
