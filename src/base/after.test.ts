import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usedMib } from '#test-support';
import { after } from './after.ts';

test('long timers that were cancelled leave nothing in memory, whatever their durations', async () => {
  const cancelAll = (count: number): void => {
    for (let n = 0; n < count; n++) after(4_000_000 + n * 1_000, () => {})();
  };
  cancelAll(1_000);
  const beforeMib = await usedMib();
  cancelAll(100_000);
  const grownMib = (await usedMib()) - beforeMib;
  assert.ok(grownMib < 5, `${grownMib} MiB`);
});
