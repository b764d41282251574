import type { Change, Engine, Feed } from '#storage';

const isOurs = ({ key }: Pick<Change, 'key'>): boolean => key.includes('/configmaps/default/');
/** How often the fault shows. */
const EVERY = 15;

/** An engine whose followers are told something else. */
export const following = (engine: Engine, change: (feed: Feed) => Feed): Engine => ({
  keepsOrder: engine.keepsOrder,
  head: () => engine.head(),
  headAtHand: () => engine.headAtHand?.(),
  get: (key, at) => engine.get(key, at),
  scan: (range) => engine.scan(range),
  commit: (write) => engine.commit(write),
  follow: (prefix, after, feed, signal) => engine.follow(prefix, after, change(feed), signal),
  compact: (before) => engine.compact(before),
  close: () => engine.close(),
});

/** Now and then a change does not reach those who follow. */
export function dropping(engine: Engine): Engine {
  let count = 0;
  const isDropped = (change: Change): boolean => isOurs(change) && ++count % EVERY === 0;
  return following(engine, (feed) => ({
    changes: (batch, upTo) => feed.changes(batch.filter((change) => !isDropped(change)), upTo),
    lost: (why) => feed.lost(why),
  }));
}

/** Now and then a write is told the revision of the one before it. */
export function repeating(engine: Engine): Engine {
  let count = 0;
  let before = 0;
  return {
    ...following(engine, (feed) => feed),
    async commit(write) {
      const commit = await engine.commit(write);
      if (!commit.done || !isOurs(write)) return commit;
      const revision = before > 0 && write.value !== undefined && ++count % EVERY === 0 ? before : commit.revision;
      before = commit.revision;
      return { done: true, revision };
    },
  };
}

/** Now and then those who follow are told that they know everything before they do. */
export function boasting(engine: Engine): Engine {
  let count = 0;
  return following(engine, (feed) => {
    const held: (readonly [readonly Change[], number])[] = [];
    return {
      changes(batch, upTo) {
        if (held.length === 0 && !(batch.some(isOurs) && ++count % EVERY === 0)) return feed.changes(batch, upTo);
        held.push([batch, upTo]);
        feed.changes([], upTo);
        if (held.length === 1) setTimeout(() => held.splice(0).forEach(([late, position]) => feed.changes(late, position)), HELD_MS);
      },
      lost: (why) => feed.lost(why),
    };
  });
}

/** Time for a bookmark to come between. */
const HELD_MS = 30;

/** Who resumes behind a compaction is told what comes from now on, as if nothing were missing. */
export function glossingOver(engine: Engine): Engine {
  let oldest = 0;
  return {
    ...following(engine, (feed) => feed),
    async compact(before) {
      await engine.compact(before);
      oldest = Math.max(oldest, before);
    },
    follow(prefix, after, feed, signal) {
      if (after >= oldest) return engine.follow(prefix, after, feed, signal);
      void engine.head().then((head) => engine.follow(prefix, head, feed, signal));
    },
  };
}
