import type { Tail } from '#base';
import { StorageFailure, type Change, type Feed, type Key, type Revision } from './engine.ts';

export interface Following {
  readonly prefix: Key;
  readonly after: Revision;
  readonly feed: Feed;
  readonly signal: AbortSignal;
}

/** Follows what an engine publishes and still knows. `failure`: why that is not possible, because the store is closed or the start forgotten. */
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
