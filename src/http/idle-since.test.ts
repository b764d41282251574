import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

test('a connection is idle from the end of its last request on, for the whole of the timeout, and is closed until it has closed', async () => {
  // Before the module takes the timers for its own.
  mock.timers.enable({ apis: ['setTimeout'] });
  let nowMs = 0;
  mock.method(performance, 'now', () => nowMs);
  const { IdleTime } = await import('./idle-time.ts');
  try {
    const closedAt: number[] = [];
    const idle = new IdleTime(100, () => closedAt.push(nowMs));
    const pass = (ms: number): void => {
      for (let passed = 0; passed < ms; passed++) {
        nowMs += 1;
        mock.timers.tick(1);
      }
    };
    // Two requests, one of which lasts.
    pass(40);
    idle.requestOpened();
    idle.requestOpened();
    pass(20);
    idle.requestClosed();
    pass(370);
    idle.requestClosed();
    // And a short one while it would have been idle for too long soon.
    pass(99);
    idle.requestOpened();
    idle.requestClosed();
    assert.deepEqual(closedAt, []);
    pass(201);
    assert.deepEqual(closedAt, [629, 729]);
    idle.end();
    pass(500);
    assert.deepEqual(closedAt, [629, 729]);
  } finally {
    mock.timers.reset();
    mock.restoreAll();
  }
});
