import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StillClock } from '#base';
import { collectGarbage } from '#test-support';
import { RevisionWaiters } from './revision-waiters.ts';

test('who waits is told that the revision is reached, or after a while that it is not; nothing is kept of whom was told', async () => {
  const clock = new StillClock();
  const waiters = new RevisionWaiters(clock);
  const told: string[] = [];
  const wait = (name: string, revision: number): WeakRef<Promise<boolean>> => {
    const outcome = waiters.wait(revision, 1_000);
    void outcome.then((reached) => told.push(`${name} ${reached}`));
    return new WeakRef(outcome);
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const waiting = [wait('reached', 5), wait('passed', 4), wait('late', 7)];
  waiters.reached(3);
  await turn();
  assert.deepEqual(told, []);
  waiters.reached(5);
  await turn();
  assert.deepEqual(told.splice(0), ['reached true', 'passed true']);
  clock.turn(1_000);
  await turn();
  assert.deepEqual(told.splice(0), ['late false']);
  waiting.push(wait('lost', 6));
  waiters.giveUp();
  await turn();
  assert.deepEqual(told, ['lost false']);
  assert.equal(clock.pending, 0);
  await collectGarbage();
  assert.deepEqual(waiting.map((outcome) => outcome.deref()), waiting.map(() => undefined));
  waiters.reached(7);
});
