import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leavingTime } from './leaving-time.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('an answer alone in its turn leaves at once; several leave together at the end of theirs, and so does the next turn', async () => {
  assert.equal(leavingTime(), undefined);
  await nextTurn();
  assert.equal(leavingTime(), undefined);
  const second = leavingTime();
  assert.ok(second instanceof Promise);
  assert.equal(leavingTime(), second);
  await second;
  const busy = leavingTime();
  assert.ok(busy instanceof Promise);
  await busy;
  await nextTurn();
  assert.equal(leavingTime(), undefined);
  await nextTurn();
});
