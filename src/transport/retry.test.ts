import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '#base';
import { retrying } from './retry.ts';

/** A clock whose pauses are over at once, and are written down. */
function noting(pauses: number[]): Clock {
  return {
    nowMs: () => 0,
    after(delayMs, run) {
      pauses.push(delayMs);
      queueMicrotask(run);
      return () => {};
    },
  };
}

const plan = { firstDelayMs: 100, factor: 1.5, attempts: 5, isPassing: (failure: unknown) => failure !== 'for good' };

/** Fails so often, each time with its count. */
function failing(times: number): { run: () => Promise<string>; calls: () => number } {
  let calls = 0;
  const run = async (): Promise<string> => {
    calls++;
    if (calls <= times) throw new Error(`failure ${calls}`);
    return 'done';
  };
  return { run, calls: () => calls };
}

test('R2.8-15 pauses grow from one attempt to the next', async () => {
  const pauses: number[] = [];
  const { run, calls } = failing(4);
  assert.equal(await retrying(run, { ...plan, clock: noting(pauses) }), 'done');
  assert.deepEqual([calls(), pauses], [5, [100, 150, 225, 337.5]]);
});

test('the last attempt fails with its own failure', async () => {
  const { run, calls } = failing(9);
  await assert.rejects(retrying(run, { ...plan, clock: noting([]) }), /failure 5/);
  assert.equal(calls(), 5);
});

test('what will not go away is not tried again', async () => {
  let calls = 0;
  const run = async (): Promise<void> => {
    calls++;
    throw 'for good' as unknown as Error;
  };
  await assert.rejects(retrying(run, { ...plan, clock: noting([]) }), (failure) => failure === 'for good');
  assert.equal(calls, 1);
});

test('an aborted signal ends a pause and the attempts', async () => {
  const stop = new AbortController();
  const { run, calls } = failing(9);
  const standing: Clock = { nowMs: () => 0, after: () => () => {} };
  const pending = retrying(run, { ...plan, clock: standing, signal: stop.signal });
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await assert.rejects(pending, /failure 2/);
  assert.equal(calls(), 2);
});
