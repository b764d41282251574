import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { boasting, dropping, glossingOver, repeating } from './broken-engines.ts';
import { play, type PlayOptions } from './play.ts';
import { ServersWorld, type Wrap } from './worlds.ts';

/** Chance may hide a fault in one history, never in so many. */
const SEEDS = 10;

type Disturbed = (world: ServersWorld) => Pick<PlayOptions, 'world' | 'disturbances'>;
/** Bookmarks in plenty. */
const byMinutes: Disturbed = (world) => ({ world: { url: (client) => world.url(client), disturb: () => world.minute(0) }, disturbances: 200 });
const byCompactions: Disturbed = (world) => ({ world, disturbances: 10 });

async function firstProblem(wrap: Wrap, expected: RegExp, disturbed = byMinutes): Promise<string | undefined> {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const world = await ServersWorld.inMemory(wrap);
    try {
      const { problems } = await play({ ...disturbed(world), seed, quietMs: 200 });
      const found = problems.find((problem) => expected.test(problem));
      if (found !== undefined) return found;
    } finally {
      await world.close();
    }
  }
  return undefined;
}

describe('the checker finds the fault in a server', () => {
  it('whose store drops an event', async () => {
    assert.match((await firstProblem(dropping, /misses/)) ?? 'no fault', /^watch \d+ since \w+ misses k\d /);
  });

  it('whose store gives one revision to two writes', async () => {
    assert.match((await firstProblem(repeating, /./)) ?? 'no fault', /one revision for two changes|was answered with/);
  });

  it('whose bookmarks come too early', async () => {
    assert.match((await firstProblem(boasting, /after a bookmark/)) ?? 'no fault', /gets \d+ after a bookmark at \d+/);
  });

  it('whose store glosses over what was compacted', async () => {
    assert.match((await firstProblem(glossingOver, /misses/, byCompactions)) ?? 'no fault', /^watch \d+ since \d+ misses k\d /);
  });
});
