import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StillClock } from '#base';
import { Expiry, EXPIRY_RETRY_MS } from './expiry.ts';

test('a store that cannot be read just then is told of, and what expires is looked for again', () => {
  const clock = new StillClock();
  const failing = new Error('the disk failed');
  const told: unknown[] = [];
  const reads = [() => assert.fail(failing), () => [{ atMs: clock.nowMs(), key: '/a', revision: 2 }]];
  const store = { next: () => reads.shift()?.() ?? [], commit: async (write: unknown) => void told.push(write) };
  const expiry = new Expiry(store, clock, (cause) => told.push(cause));
  expiry.expect(clock.nowMs() + 1_000);
  clock.turn(1_000);
  assert.deepEqual(told, [failing]);
  clock.turn(EXPIRY_RETRY_MS);
  assert.deepEqual(told, [failing, { key: '/a', expect: 2 }]);
  expiry.stop();
});
