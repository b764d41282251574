import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from './start.ts';

test('a log that throws stops no request, and no end of the server', { timeout: 60_000 }, async () => {
  let lines = 0;
  const closed = (): never => {
    lines++;
    throw new Error('the worker has exited');
  };
  const failing = {
    name: 'failing',
    authenticate: () => {
      throw new Error('unforeseen');
    },
  };
  const server = await startServer({ listen: false, controllers: 'none', log: { info: closed, warn: closed, error: closed }, authentication: { authenticators: [failing] } });
  const answer = await server.exchange({ path: '/api' });
  assert.equal(answer.status, 500);
  assert.ok(lines > 0);
  await server.close();
});
