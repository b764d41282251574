import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer, TurnedClock } from '#testing';

test('R4.13-05 during the shutdown delay readyz fails while requests are still served', async () => {
  const clock = new TurnedClock();
  const server = await startTestServer({ clock, shutdownDelayMs: 30_000 });
  assert.equal((await server.request('GET', '/readyz')).status, 200);
  const closed = server.close();
  // A request in the same process is answered at once, before the server is told.
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await server.request('GET', '/readyz')).status, 500);
  assert.match((await server.request('GET', '/readyz?verbose')).text, /\[-\]shutdown failed: reason withheld/);
  assert.equal((await server.request('GET', '/livez')).status, 200);
  assert.equal((await server.request('GET', '/api/v1/namespaces/default')).status, 200);
  clock.turn(30_000);
  await closed;
});

test('R4.13-08 R4.13-12 the parts of a start stand in the verbose output, and each answers alone', async () => {
  const server = await startTestServer({});
  try {
    const { text } = await server.request('GET', '/readyz?verbose');
    const names = [...text.matchAll(/^\[\+\](\S+) ok$/gm)].map(([, name]) => name);
    assert.ok(names.includes('poststarthook/rbac/bootstrap-roles'), text);
    for (const name of names) assert.equal((await server.request('GET', `/readyz/${name}`)).text, 'ok', name);
  } finally {
    await server.close();
  }
});
