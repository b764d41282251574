import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

test('an operation that is not done in time is reported, once', async () => {
  // Before the module takes the timers for its own.
  mock.timers.enable({ apis: ['setTimeout'] });
  const { notifyIfSlow } = await import('./slow-operations.ts');
  try {
    const reported: string[] = [];
    const operation = (name: string): { isDone: boolean; onSlow(waitedMs: number): void } => ({ isDone: false, onSlow: () => void reported.push(name) });
    const [quick, slow, late] = [operation('quick'), operation('slow'), operation('late')];
    notifyIfSlow(quick);
    notifyIfSlow(slow);
    quick.isDone = true;
    mock.timers.tick(50);
    assert.deepEqual(reported, ['slow']);
    notifyIfSlow(late);
    mock.timers.tick(1_000);
    assert.deepEqual(reported, ['slow', 'late']);
  } finally {
    mock.timers.reset();
  }
});
