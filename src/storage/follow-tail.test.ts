import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tail } from '#base';
import type { Change } from './engine.ts';
import { followTail } from './follow-tail.ts';
import { StorageFailure } from './storage-failure.ts';

test('whoever cannot follow is told why once it has been returned to, and told of no change, whether the reason is returned or thrown', async () => {
  const why = new StorageFailure('compacted', 'forgotten', { revision: 5 });
  const problem = new Error('the disk fails');
  const thrown = (cause: Error) => (): never => {
    throw cause;
  };
  for (const [failureToFollow, told] of [
    [() => why, why],
    [thrown(why), why],
    [thrown(problem), new StorageFailure('unavailable', 'the follower failed', { cause: problem })],
  ] as const) {
    const tail = new Tail<Change>(1, { read: () => assert.fail('nobody is behind') });
    const losses: StorageFailure[] = [];
    const feed = { changes: () => assert.fail('a change is told'), lost: (loss: StorageFailure) => void losses.push(loss) };
    followTail(tail, { prefix: '/', after: 1, feed, signal: new AbortController().signal }, failureToFollow);
    assert.deepEqual(losses, []);
    await Promise.resolve();
    assert.deepEqual(losses, [told]);
    tail.publish([{ key: '/a', revision: 2 }], 2);
    assert.equal(losses.length, 1);
  }
});
