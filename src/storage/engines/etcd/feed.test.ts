import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { deferred, nextTurn } from '#base';
import { Waiters } from '../../engine-suite/test-support.ts';
import type { Change } from '../../engine.ts';
import type { Revision } from '../../entry.ts';
import { closedFailure, StorageFailure } from '../../storage-failure.ts';
import type { Cluster } from './cluster.ts';
import { ChangeFeed } from './feed.ts';
import type { KeyValues } from './kv.ts';
import { RECENT_CHANGES } from './limits.ts';
import type { WatchRequest, WatchResponse } from './messages.ts';

/** A stream of a watch: what it was asked for, and whether it is still wanted. */
class Stream extends EventEmitter {
  after: Revision = 0;
  isOver = false;

  write(request: WatchRequest): void {
    if ('startRevision' in request && request.id === undefined) this.after = request.startRevision - 1;
  }

  cancel(): void {
    this.isOver = true;
  }

  /** One key was created at each of these revisions. */
  tell(from: Revision, to: Revision): void {
    const events = Array.from({ length: to + 1 - from }, (_, i) => ({ deleted: false, entry: { key: Buffer.from('/a'), value: Buffer.of(0), modRevision: from + i, version: 1 }, before: undefined }));
    const response: WatchResponse = { clusterId: 1n, revision: to, id: 0, created: false, canceled: false, compactRevision: 0, cancelReason: '', fragment: false, events };
    this.emit('data', response);
  }
}

/** What the etcd of a test does when it is asked for its newest revision, and with which failure it meets what it is told over a watch. */
interface Answers {
  readonly head?: () => Promise<Revision>;
  readonly check?: () => void;
}

/** Feeds from revision `first` on, the streams that they open, and what they log. */
function opened(first: Revision, { head = async () => first, check = () => {} }: Answers = {}): { readonly feed: ChangeFeed; readonly streams: Stream[]; readonly log: string[]; readonly openedAs: (count: number) => Promise<void> } {
  const streams: Stream[] = [];
  const waiters = new Waiters();
  const log: string[] = [];
  const openWatch = (): object => {
    const stream = new Stream();
    streams.push(stream);
    waiters.wake();
    return { stream, avoid() {}, check, report() {} };
  };
  const cluster = { openWatch, newest: first, checkNewest: async () => {}, checkTold: async () => {} } as unknown as Cluster;
  const keyValues = { head, compacted: async (at: Revision) => new StorageFailure('compacted', `${at} is gone`) } as unknown as KeyValues;
  const feed = new ChangeFeed(cluster, keyValues, '/', first, (message, { cause }) => void log.push(`${message}: ${String(cause)}`));
  return { feed, streams, log, openedAs: (count) => waiters.until(() => streams.length >= count) };
}

/** What a feed tells whoever follows it after that revision. */
class Follower {
  readonly revisions: Revision[] = [];
  lost: StorageFailure | undefined;
  readonly #waiters = new Waiters();

  constructor(feed: ChangeFeed, after: Revision, signal = new AbortController().signal, told = (): void => {}) {
    const changes = (batch: readonly Change[]): void => {
      for (const { revision } of batch) this.revisions.push(revision);
      told();
      this.#waiters.wake();
    };
    const lost = (why: StorageFailure): void => {
      this.lost = why;
      this.#waiters.wake();
    };
    feed.follow('/', after, { changes, lost }, signal);
  }

  /** Resolves when it was told of the revision, or has ended. */
  reached(revision: Revision): Promise<void> {
    return this.#waiters.until(() => this.lost !== undefined || this.revisions.includes(revision));
  }
}

const range = (from: Revision, to: Revision): Revision[] => Array.from({ length: to + 1 - from }, (_, i) => from + i);

describe('feeds from etcd', () => {
  for (const [waits, position] of [['first', 10], ['next', 12]] as const) it(`who waits for its ${waits} turn while the changes that it needs are forgotten has a watch of its own until it has caught up, and is told each once`, async () => {
    const { feed, streams, openedAs } = opened(9);
    const [shared] = streams;
    shared!.tell(10, 12);
    const last = 12 + 3 * RECENT_CHANGES;
    const forget = (): void => shared!.tell(13, last);
    let told = 0;
    const follower = new Follower(feed, 10, undefined, () => void (waits === 'next' && ++told === 1 && forget()));
    if (waits === 'first') forget();
    await openedAs(2);
    const own = streams[1];
    assert.deepEqual([follower.lost, follower.revisions, own?.after], [undefined, range(11, position), position]);
    own!.tell(position + 1, last - 1);
    await follower.reached(last);
    shared!.tell(last + 1, last + 1);
    assert.deepEqual([follower.lost, own!.isOver, streams.length], [undefined, true, 2]);
    assert.deepEqual(follower.revisions, range(11, last + 1));
  });

  it('that end, end every watch, and tell all who follow why, those who have a watch of their own too', () => {
    const { feed, streams } = opened(9);
    const followers = [9, 5].map((after) => new Follower(feed, after));
    assert.deepEqual(streams.map(({ isOver }) => isOver), [false, false]);
    feed.end(closedFailure());
    assert.deepEqual(streams.map(({ isOver }) => isOver), [true, true]);
    assert.deepEqual(followers.map(({ lost }) => lost?.message), [closedFailure().message, closedFailure().message]);
  });

  it('tell a follower that failed what it failed with, whatever that is, and end its watch', () => {
    const { feed, streams } = opened(9);
    const cause = new RangeError('too deep');
    let lost: StorageFailure | undefined;
    const changes = (): never => {
      throw cause;
    };
    feed.follow('/', 5, { changes, lost: (why) => void (lost = why) }, new AbortController().signal);
    streams[1]!.tell(6, 6);
    assert.deepEqual([lost?.code, lost?.cause, streams.map(({ isOver }) => isOver)], ['unavailable', cause, [false, true]]);
    feed.end(closedFailure());
  });

  it('that have given up a stream end it, take no word from it any more, and go on over the next one', async () => {
    for (const why of ['error', 'end']) {
      const { feed, streams, openedAs } = opened(9);
      const follower = new Follower(feed, 9);
      const [first] = streams;
      first!.tell(10, 10);
      first!.emit(why, new Error('away'));
      assert.equal(first!.isOver, true);
      await openedAs(2);
      const second = streams[1]!;
      first!.tell(11, 11);
      for (const again of ['error', 'end']) first!.emit(again, new Error('away'));
      assert.deepEqual([second.after, second.isOver, follower.revisions], [10, false, [10]]);
      second.tell(11, 12);
      assert.deepEqual([follower.lost, follower.revisions, streams.length], [undefined, [10, 11, 12], 2]);
      feed.end(closedFailure());
    }
  });

  it('open no watch for who has stopped before it began', () => {
    const { feed, streams } = opened(9);
    const { lost } = new Follower(feed, 5, AbortSignal.abort());
    assert.deepEqual([lost, streams.length], [undefined, 1]);
  });

  it('tell nothing more to who has stopped, and end its watch, or do not say any more that it is lost', async () => {
    const { feed, streams } = opened(9);
    feed.compacted(3);
    const stopped = new AbortController();
    const followers = [5, 2].map((after) => new Follower(feed, after, stopped.signal));
    const [, own] = streams;
    own!.tell(6, 7);
    stopped.abort();
    own!.tell(8, 9);
    const other = new Follower(feed, 2);
    await other.reached(9);
    assert.deepEqual([own!.isOver, streams.length, other.lost?.message], [true, 2, '2 is gone']);
    assert.deepEqual(followers.map(({ revisions, lost }) => [revisions, lost]), [[[6, 7], undefined], [[], undefined]]);
    feed.end(closedFailure());
    assert.deepEqual(followers.map(({ lost }) => lost), [undefined, undefined]);
  });

  const lostWrites = (): never => {
    throw new StorageFailure('unavailable', 'it lost writes');
  };
  for (const [from, check, why] of [[11, undefined, '9 is gone'], [10, lostWrites, 'it lost writes']] as const) it(`that have lost the watch which all share say why (${why}), and share the next one once etcd says where it is`, async () => {
    let asked = 0;
    let isBack = false;
    const head = async (): Promise<Revision> => {
      if (++asked === 1) setImmediate(() => (isBack = true));
      if (!isBack && asked < 100) throw new Error('away');
      return 20;
    };
    const checks = [check];
    const { feed, streams, log, openedAs } = opened(9, { head, check: () => checks.shift()?.() });
    const follower = new Follower(feed, 9);
    streams[0]!.tell(from, from);
    await follower.reached(from);
    assert.deepEqual([follower.lost?.message, follower.revisions, log], [why, [], [`the watch of etcd was lost: ${why}`]]);
    await openedAs(2);
    assert.equal(asked, 2, 'it is not asked again and again in the same moment');
    await nextTurn();
    const others = [1, 2].map(() => new Follower(feed, 20));
    streams[1]!.tell(21, 21);
    assert.deepEqual([streams[1]!.after, others.map(({ revisions }) => revisions), streams.length], [20, [[21], [21]], 2]);
    feed.end(closedFailure());
  });

  it('that end while etcd is asked where it is open no watch any more, and tell why to those who follow, since then or from now on', async () => {
    const [asked, answer] = [deferred<void>(), deferred<Revision>()];
    const head = (): Promise<Revision> => {
      asked.resolve();
      return answer.promise;
    };
    const { feed, streams } = opened(9, { head });
    streams[0]!.tell(11, 11);
    await asked.promise;
    const since = new Follower(feed, 20);
    feed.end(closedFailure());
    answer.resolve(20);
    await nextTurn();
    const late = new Follower(feed, 20);
    await late.reached(21);
    assert.deepEqual([since, late].map(({ lost }) => lost?.message), [closedFailure().message, closedFailure().message]);
    assert.deepEqual(streams.map(({ isOver }) => isOver), [true, true]);
  });
});
