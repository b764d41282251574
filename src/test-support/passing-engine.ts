import type { Engine } from '#storage';

/** An engine that passes everything on to another one, for tests that replace a part of it. It has no newest revision at hand. */
export const passing = (engine: Engine): Engine => ({
  keepsOrder: engine.keepsOrder,
  head: () => engine.head(),
  get: (...asked) => engine.get(...asked),
  scan: (asked) => engine.scan(asked),
  commit: (write) => engine.commit(write),
  follow: (...asked) => engine.follow(...asked),
  compact: (before) => engine.compact(before),
  close: () => engine.close(),
});
