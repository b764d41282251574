import { systemClock } from '#base';
import type { Engine, Key } from './engine.ts';

/** Who has waited so long goes on out of turn: the one in front may be waiting for this very write. */
const MAX_WAIT_MS = 1000;

/** By engine and key: fulfilled when all who came so far are done. */
const queues = new WeakMap<Engine, Map<Key, Promise<unknown>>>();

/**
 * Lets those who have lost a race for a key go on one after the other: all at once each round would make one of them happy and the others
 * lose again. `hasWaited`: somebody else was in front, so that what was known may be out of date.
 */
export async function inTurn<T>(engine: Engine, key: Key, run: (hasWaited: boolean) => Promise<T>): Promise<T> {
  const queue = queues.get(engine) ?? new Map<Key, Promise<unknown>>();
  queues.set(engine, queue);
  const inFront = queue.get(key);
  let leave = (): void => {};
  const mine = new Promise<void>((done) => (leave = done));
  const all = inFront === undefined ? mine : Promise.all([inFront, mine]);
  queue.set(key, all);
  try {
    if (inFront !== undefined) await patiently(inFront);
    return await run(inFront !== undefined);
  } finally {
    leave();
    if (queue.get(key) === all) queue.delete(key);
  }
}

async function patiently(awaited: Promise<unknown>): Promise<void> {
  let cancel = (): void => {};
  const enough = new Promise<void>((done) => (cancel = systemClock.after(MAX_WAIT_MS, done)));
  await Promise.race([awaited, enough]);
  cancel();
}
