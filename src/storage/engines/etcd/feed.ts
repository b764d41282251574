import { Tail } from '#base';
import type { Change, Feed } from '../../engine.ts';
import type { Key, Revision } from '../../entry.ts';
import { followerFailure, followTail } from '../../follow-tail.ts';
import type { StorageFailure } from '../../storage-failure.ts';
import { pause, type Cluster } from './cluster.ts';
import { failureOf } from './failures.ts';
import { KeyWatch } from './key-watch.ts';
import type { KeyValues } from './kv.ts';
import { RETRY_MS } from './limits.ts';
import { Forgotten, RecentChanges } from './recent-changes.ts';

type Report = (message: string, fields: Readonly<Record<string, unknown>>) => void;

/** What all feeds share for as long as the shared watch lasts. */
interface Shared {
  readonly tail: Tail<Change>;
  readonly recent: RecentChanges;
  readonly watch: KeyWatch;
}

/**
 * Delivers changes to all feeds from one shared watch of etcd. A feed that starts before the changes in memory has a watch of its own until it has
 * caught up.
 */
export class ChangeFeed {
  readonly #cluster: Cluster;
  readonly #keyValues: KeyValues;
  readonly #root: string;
  readonly #log: Report;
  /** What ends each feed that has a watch of its own. */
  readonly #catchingUp = new Set<(why: StorageFailure) => void>();
  #shared: Shared | undefined;
  /** The newest compaction that this process knows of. */
  #oldest: Revision = 0;
  /** Why all feeds have ended; undefined: they have not. */
  #ended: StorageFailure | undefined;

  constructor(cluster: Cluster, keyValues: KeyValues, root: string, head: Revision, log: Report) {
    this.#cluster = cluster;
    this.#keyValues = keyValues;
    this.#root = root;
    this.#log = log;
    this.#shared = this.#share(head);
  }

  follow(prefix: Key, after: Revision, feed: Feed, signal: AbortSignal): void {
    if (signal.aborted) return;
    const ended = this.#ended;
    if (ended !== undefined) return queueMicrotask(() => feed.lost(ended));
    if (after < this.#oldest) return this.#tooOld(after, feed, signal);
    if (this.#shared !== undefined && after >= this.#shared.recent.start) return this.#followShared(this.#shared.tail, prefix, after, feed, signal);
    this.#catchUp(prefix, after, feed, signal);
  }

  /** This process has compacted the history before this revision. */
  compacted(oldest: Revision): void {
    this.#oldest = Math.max(this.#oldest, oldest);
  }

  /** Ends all feeds with this failure, also those that start later. */
  end(why: StorageFailure): void {
    this.#ended = why;
    this.#shared?.watch.stop();
    this.#shared?.tail.fail(why);
    for (const fail of this.#catchingUp) fail(why);
  }

  #share(head: Revision): Shared {
    const recent = new RecentChanges(head);
    const tail = new Tail<Change>(head, { read: (after) => recent.read(after) });
    const watch = new KeyWatch(this.#cluster, this.#root, head, {
      changes(batch, upTo) {
        recent.add(batch, upTo);
        tail.publish(batch, upTo);
      },
      lost: (why) => void this.#shareAgain(tail, why),
    });
    return { tail, recent, watch };
  }

  /** Ends all feeds after the shared watch was lost, as when the changes that it missed were compacted, and starts a new one. Their callers list anew. */
  async #shareAgain(tail: Tail<Change>, why: 'compacted' | StorageFailure): Promise<void> {
    this.#shared = undefined;
    const failure = why === 'compacted' ? await this.#compactedAt(tail.position) : why;
    this.#log('the watch of etcd was lost', { cause: failure.message });
    tail.fail(failure);
    while (this.#ended === undefined && this.#shared === undefined) {
      try {
        const head = await this.#keyValues.head();
        if (this.#ended === undefined) this.#shared = this.#share(head);
      } catch {
        await pause(RETRY_MS);
      }
    }
  }

  /** Follows the changes that all share. Where one that is behind waits for its turn while those that it needs are forgotten, it has a watch of its own again. */
  #followShared(tail: Tail<Change>, prefix: Key, after: Revision, feed: Feed, signal: AbortSignal): void {
    let position = after;
    const changes: Feed['changes'] = (batch, upTo) => {
      position = upTo;
      feed.changes(batch, upTo);
    };
    const lost = (why: StorageFailure): void => {
      if (why instanceof Forgotten) this.#catchUp(prefix, position, feed, signal);
      else feed.lost(why);
    };
    followTail(tail, { prefix, after, feed: { changes, lost }, signal });
  }

  /** Follows with a watch of its own until the shared one has all changes after its position. */
  #catchUp(prefix: Key, after: Revision, feed: Feed, signal: AbortSignal): void {
    let position = after;
    const stop = (): void => {
      watch.stop();
      this.#catchingUp.delete(fail);
      signal.removeEventListener('abort', stop);
    };
    const fail = (why: StorageFailure): void => {
      stop();
      feed.lost(why);
    };
    const watch: KeyWatch = new KeyWatch(this.#cluster, this.#root, after, {
      changes: (batch, upTo) => {
        position = upTo;
        try {
          feed.changes(batch.filter(({ key }) => key.startsWith(prefix)), upTo);
        } catch (cause) {
          return fail(followerFailure(cause));
        }
        if (signal.aborted || this.#shared === undefined || upTo < this.#shared.recent.start) return;
        stop();
        this.#followShared(this.#shared.tail, prefix, upTo, feed, signal);
      },
      lost: (why) => {
        stop();
        if (why === 'compacted') this.#tooOld(position, feed, signal);
        else feed.lost(why);
      },
    });
    this.#catchingUp.add(fail);
    signal.addEventListener('abort', stop, { once: true });
  }

  #tooOld(after: Revision, feed: Feed, signal: AbortSignal): void {
    void this.#compactedAt(after).then((why) => {
      if (!signal.aborted) feed.lost(why);
    });
  }

  async #compactedAt(after: Revision): Promise<StorageFailure> {
    try {
      return this.#ended ?? (await this.#keyValues.compacted(after));
    } catch (error) {
      return failureOf(error, 'the watch was lost');
    }
  }
}
