import type { Tail } from '#base';
import { StorageFailure, type Change, type Feed, type Key, type Revision } from './engine.ts';

export interface Following {
  readonly prefix: Key;
  readonly after: Revision;
  readonly feed: Feed;
  readonly signal: AbortSignal;
}

/**
 * Implements `Engine.follow` with the tail of an engine's changes. `failure`: why following is not possible (the store is closed, or `after` was
 * compacted); `feed.lost` gets it in a microtask.
 */
export function followTail(tail: Tail<Change>, { prefix, after, feed, signal }: Following, failure?: StorageFailure): void {
  if (signal.aborted) return;
  if (failure !== undefined) {
    queueMicrotask(() => feed.lost(failure));
    return;
  }
  const detach = tail.attach(after, {
    wants: (change) => change.key.startsWith(prefix),
    positionOf: (change) => change.revision,
    deliver: (changes, position) => feed.changes(changes, position),
    failed: (cause) => feed.lost(cause instanceof StorageFailure ? cause : new StorageFailure('unavailable', 'the follower failed', { cause })),
  });
  signal.addEventListener('abort', detach, { once: true });
}
