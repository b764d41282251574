import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { EtcdProcess, NO_ETCD } from '../etcd/etcd-process.ts';
import { play } from './play.ts';
import { ServersWorld } from './worlds.ts';

/** How many histories; `FIRST_SEED` repeats those of a run that failed. */
const SEEDS = Number(process.env['SEEDS'] ?? 6);
const FIRST = Number(process.env['FIRST_SEED'] ?? Math.floor(Math.random() * 1_000_000));
/** Of these many seeds one goes to each world. */
const WORLDS = 3;

const seedsOf = (world: number): number[] => Array.from({ length: SEEDS }, (_, i) => FIRST + i).filter((seed) => seed % WORLDS === world);

async function run(seed: number, world: ServersWorld): Promise<void> {
  const { problems, recorder } = await play({ world, seed });
  assert.deepEqual(problems.slice(0, 10), [], `seed ${seed}`);
  assert.ok(recorder.watches.length > 0 && recorder.writes.length > 0);
}

console.log(`seeds ${FIRST} to ${FIRST + SEEDS - 1}`);

describe('histories of one server in memory, with restarts', () => {
  for (const seed of seedsOf(0)) {
    it(`seed ${seed}`, async () => {
      const world = await ServersWorld.inMemory();
      try {
        await run(seed, world);
      } finally {
        await world.close();
      }
    });
  }
});

describe('histories of one server on LMDB, with restarts', () => {
  for (const seed of seedsOf(1)) {
    it(`seed ${seed}`, async () => {
      const world = await ServersWorld.onLmdb();
      try {
        await run(seed, world);
      } finally {
        await world.close();
      }
    });
  }
});

describe('histories of three servers on one etcd, with restarts', { skip: NO_ETCD }, () => {
  let etcd: EtcdProcess | undefined;
  before(async () => {
    etcd = await EtcdProcess.start();
  });
  after(() => etcd?.remove());
  for (const seed of seedsOf(2)) {
    it(`seed ${seed}`, async () => {
      const world = await ServersWorld.start(`etcd://${etcd!.address}?prefix=/model/${seed}`, 3);
      try {
        await run(seed, world);
      } finally {
        await world.close();
      }
    });
  }
});
