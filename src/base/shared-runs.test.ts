import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deferred, type Deferred } from './deferred.ts';
import { SharedRuns } from './shared-runs.ts';

test('all who ask while a run is under way share the next one, whatever becomes of the first', async () => {
  const begun: Deferred<number>[] = [];
  const runs = new SharedRuns(() => {
    const run = deferred<number>();
    begun.push(run);
    return run.promise;
  });
  const first = [runs.next(), runs.next()];
  await Promise.resolve();
  assert.equal(begun.length, 1);
  const second = [runs.next(), runs.next()];
  await Promise.resolve();
  assert.equal(begun.length, 1);
  begun[0]!.reject(new Error('no'));
  for (const one of first) await assert.rejects(one, /no/);
  await Promise.resolve();
  assert.equal(begun.length, 2);
  begun[1]!.resolve(2);
  assert.deepEqual(await Promise.all(second), [2, 2]);
});
