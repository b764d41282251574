// Tests that hold in both dialects, each in a world of its own.
import { after, before, describe } from 'node:test';
import { DIALECTS, type Dialect } from '#api';

interface World {
  start(): Promise<void>;
  end(): Promise<void>;
}

/** Defines tests once for each dialect, in a world that stands while they run. */
export function oncePerDialect<W extends World>(make: (dialect: Dialect) => W, define: (world: W) => void): void {
  for (const dialect of DIALECTS) {
    describe(dialect, () => {
      const world = make(dialect);
      before(() => world.start());
      after(() => world.end());
      define(world);
    });
  }
}
