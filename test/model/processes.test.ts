import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EtcdProcess, NO_ETCD } from '../etcd/etcd-process.ts';
import { CutOffWorld } from './cut-off-world.ts';
import { EtcdWorld } from './etcd-world.ts';
import { LosingWorld } from './losing-world.ts';
import { play, type World } from './play.ts';
import { ProcessWorld } from './process-world.ts';
import { WITHOUT_PROC, WorkersWorld } from './workers-world.ts';

/** How many histories of each; starting processes takes its time. */
const SEEDS = Number(process.env['PROCESS_SEEDS'] ?? 1);
const FIRST = Number(process.env['FIRST_SEED'] ?? Math.floor(Math.random() * 1_000_000));

async function run(seed: number, world: World & { close(): Promise<void> }, disturbances = 4): Promise<void> {
  try {
    const { problems, recorder } = await play({ world, seed, steps: 150, disturbances });
    assert.deepEqual(problems.slice(0, 10), [], `seed ${seed}`);
    assert.ok(recorder.watches.length > 0 && recorder.writes.some(({ outcome }) => outcome === 'done'));
  } finally {
    await world.close();
  }
}

console.log(`seeds ${FIRST} to ${FIRST + SEEDS - 1}`);

describe('histories of servers that are killed and stopped', () => {
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    it(`one process on LMDB, seed ${seed}`, async () => run(seed, await ProcessWorld.start(1)));

    it(`three processes on one LMDB store, seed ${seed}`, { skip: WITHOUT_PROC }, async () => run(seed, await WorkersWorld.start(3), 8));

    it(`three processes on one etcd, seed ${seed}`, { skip: NO_ETCD }, async () => {
      const etcd = await EtcdProcess.start();
      try {
        await run(seed, await ProcessWorld.start(3, `etcd://${etcd.address}`));
      } finally {
        await etcd.remove();
      }
    });

    it(`three processes on one etcd that fails, over a network that fails, seed ${seed}`, { skip: NO_ETCD }, async () => run(seed, await EtcdWorld.start(3), 8));

    it(`three processes on an etcd of three, of which one is cut off or killed, seed ${seed}`, { skip: NO_ETCD }, async () => run(seed, await CutOffWorld.start(3), 6));

    it(`three processes on one etcd, over networks that lose answers, seed ${seed}`, { skip: NO_ETCD }, async () => run(seed, await LosingWorld.start(3, seed), 8));
  }
});
