import { systemClock } from '#base';
import type { Engine } from './engine.ts';
import type { Key } from './entry.ts';

/** A write that has waited so long goes on out of turn: the one ahead may itself wait for this write. */
const MAX_WAIT_MS = 1000;

/** By engine and key: resolves when all writes queued so far are done. */
const queues = new WeakMap<Engine, Map<Key, Promise<unknown>>>();

/**
 * Runs the retries of conflicting writes to one key one after the other: if all retried at once, one would succeed per round and the others would
 * conflict again. `hasWaited`: another write was ahead in the queue, so what was read before may be out of date.
 */
export async function inKeyQueue<T>(engine: Engine, key: Key, run: (hasWaited: boolean) => Promise<T>): Promise<T> {
  const queue = queues.get(engine) ?? new Map<Key, Promise<unknown>>();
  queues.set(engine, queue);
  const inFront = queue.get(key);
  let leave = (): void => {};
  const mine = new Promise<void>((done) => (leave = done));
  const all = inFront === undefined ? mine : Promise.all([inFront, mine]);
  queue.set(key, all);
  try {
    if (inFront !== undefined) await waitAtMost(inFront);
    return await run(inFront !== undefined);
  } finally {
    leave();
    if (queue.get(key) === all) queue.delete(key);
  }
}

/** Resolves with `awaited`, or after `MAX_WAIT_MS`. */
async function waitAtMost(awaited: Promise<unknown>): Promise<void> {
  let cancel = (): void => {};
  const enough = new Promise<void>((done) => (cancel = systemClock.after(MAX_WAIT_MS, done)));
  await Promise.race([awaited, enough]);
  cancel();
}
