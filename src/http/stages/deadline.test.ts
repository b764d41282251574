import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { Next, Received, Reply, Routed } from '#request';

const log = { info: () => {}, warn: () => {}, error: () => {} };

test('deadlines that are far away are kept as well, and one that was met is over', async () => {
  // Before the modules take the timers for their own.
  mock.timers.enable({ apis: ['setTimeout'] });
  const { badRequest } = await import('#errors');
  const { chain, requestInfoStage } = await import('#request');
  const { exchange } = await import('../in-process.ts');
  const { deadline } = await import('./deadline.ts');
  const { recover } = await import('./recover.ts');
  const missed: string[] = [];
  const handle = (last: Next<Routed>): Next<Received> =>
    chain<Received, Received>(recover({ log })).through(requestInfoStage).through(deadline({ missed: ({ path }) => missed.push(path) })).end(last);
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
    assert.deepEqual(missed, ['/api/v1/pods']);

    // Answered at once, and when it has been found to be slow.
    for (const [tookMs, status] of [[0, 200], [0, 400], [5_000, 200], [5_000, 400]] as const) {
      const signals: AbortSignal[] = [];
      const answered = exchange(handle(async ({ signal }) => {
        signals.push(signal);
        if (tookMs > 0) await new Promise((resolve) => setTimeout(resolve, tookMs));
        if (status === 400) throw badRequest('no');
        return { status, headers: {}, body: new Uint8Array(0) };
      }), { path: '/api/v1/nodes' });
      await new Promise((resolve) => setImmediate(resolve));
      for (const ms of [50, tookMs]) mock.timers.tick(ms);
      assert.equal((await answered).status, status);
      mock.timers.tick(120_000);
      assert.deepEqual([signals.map(({ aborted }) => aborted), missed], [[false], ['/api/v1/pods']]);
    }

    // Streamed: cut off in the middle, to the end, and not at all.
    const answeredBy = (more: (signal: AbortSignal) => Promise<void>) => async ({ signal }: Routed): Promise<Reply> => ({
      status: 200,
      headers: {},
      stream: async (out) => {
        out.write(Buffer.from('a'));
        await more(signal);
        out.write(Buffer.from('b'));
      },
    });
    const hanging = answeredBy((signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))));
    const path = '/apis/example.com/v1/things';
    for (const [reply, method, heard, late] of [[hanging, 'GET', 'a', 1], [answeredBy(() => Promise.resolve()), 'GET', 'ab', 0], [hanging, 'HEAD', '', 0]] as const) {
      missed.length = 0;
      const answer = await exchange(handle(reply), { method, path });
      let text = '';
      const reading = (async () => {
        if ('stream' in answer) for await (const chunk of answer.stream) text += Buffer.from(chunk).toString();
      })();
      await new Promise((resolve) => setImmediate(resolve));
      for (const ms of [50, 60_000]) mock.timers.tick(ms);
      if (late > 0) await assert.rejects(reading);
      else await reading;
      assert.deepEqual([text, missed], [heard, late > 0 ? [path] : []]);
    }
  } finally {
    mock.timers.reset();
  }
});
