import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { Next, Received, Reply, Routed } from '#request';

const log = { info: () => {}, warn: () => {}, error: () => {} };

test('deadlines that are far away are kept as well', async () => {
  // Before the modules take the timers for their own.
  mock.timers.enable({ apis: ['setTimeout'] });
  const { chain, requestInfoStage } = await import('#request');
  const { exchange } = await import('../in-process.ts');
  const { deadline } = await import('./deadline.ts');
  const { recover } = await import('./recover.ts');
  const handle = (last: Next<Routed>): Next<Received> => chain<Received, Received>(recover({ log })).through(requestInfoStage).through(deadline()).end(last);
  try {
    let isStopped = false;
    const never = (context: Routed): Promise<Reply> => {
      context.signal.addEventListener('abort', () => (isStopped = true));
      return new Promise(() => {});
    };
    const asked = exchange(handle(never), { path: '/api/v1/pods?timeout=30s' });
    await new Promise((resolve) => setImmediate(resolve));
    mock.timers.tick(50);
    mock.timers.tick(29_000);
    assert.equal(isStopped, false);
    mock.timers.tick(1_000);
    assert.equal((await asked).status, 504);
    assert.equal(isStopped, true);
  } finally {
    mock.timers.reset();
  }
});
