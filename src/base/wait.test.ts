import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from './clock.ts';
import { wait } from './wait.ts';

test('a wait ends with its time, or with its signal, also one that has aborted already', async () => {
  const pending = new Set<() => void>();
  const clock: Clock = {
    nowMs: () => 0,
    after(_delayMs, run) {
      pending.add(run);
      return () => pending.delete(run);
    },
  };
  await wait(clock, 1, AbortSignal.abort());
  assert.equal(pending.size, 0);
  const ending = new AbortController();
  const aborted = wait(clock, 1, ending.signal);
  ending.abort();
  await aborted;
  assert.equal(pending.size, 0);
  for (const signal of [undefined, new AbortController().signal]) {
    const over = wait(clock, 1, signal);
    for (const run of pending) run();
    await over;
  }
});
