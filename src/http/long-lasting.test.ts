import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

test('only what lasts is told so, once', async () => {
  // Before the module takes the timers for its own.
  mock.timers.enable({ apis: ['setTimeout'] });
  const { noticeIfLong } = await import('./long-lasting.ts');
  try {
    const told: string[] = [];
    const passing = (name: string): { isOver: boolean; lasts(waitedMs: number): void } => ({ isOver: false, lasts: () => void told.push(name) });
    const [quick, slow, late] = [passing('quick'), passing('slow'), passing('late')];
    noticeIfLong(quick);
    noticeIfLong(slow);
    quick.isOver = true;
    mock.timers.tick(50);
    assert.deepEqual(told, ['slow']);
    noticeIfLong(late);
    mock.timers.tick(1_000);
    assert.deepEqual(told, ['slow', 'late']);
  } finally {
    mock.timers.reset();
  }
});
