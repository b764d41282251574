import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { chain, requestInfoStage, type Next, type Received, type Reply, type Routed } from '#request';
import { exchange } from '../in-process.ts';
import { deadline } from './deadline.ts';
import { recover } from './recover.ts';

const log = { info: () => {}, warn: () => {}, error: () => {} };
const handle = (last: Next<Routed>): Next<Received> => chain<Received, Received>(recover({ log })).through(requestInfoStage).through(deadline()).end(last);

test('deadlines that are far away are kept as well', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
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
