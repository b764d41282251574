import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deferred, silentLog, systemClock } from '#base';
import { createClient, createControllerEnv, exchangeLocal } from '#client';
import { startTestServer, TEST_TOKENS } from '#testing';
import { startNamespaceController } from './index.ts';

const NAMESPACE = '/api/v1/namespaces/again';
const MAP = `${NAMESPACE}/configmaps/new`;

test('a namespace that was made again under its name, before anybody looked at the one that was to be emptied, keeps what is in it', { timeout: 20_000 }, async () => {
  const server = await startTestServer({ controllers: 'none', dialect: 'kubernetes' });
  const ask = async (method: string, path: string, body?: unknown): Promise<void> => {
    const answer = await server.request(method, path, body);
    assert.ok(answer.status < 300, answer.text);
  };
  const make = (): Promise<void> => ask('POST', '/api/v1/namespaces', { metadata: { name: 'again' } });
  const { exchange } = server.server;
  const looked = deferred<number>();
  let looks = 0;
  const noted: typeof exchange = async (request) => {
    if ((request.method ?? 'GET') !== 'GET' || request.path !== NAMESPACE) return exchange(request);
    // A second look follows when the first has led to all that it leads to.
    if (++looks === 2) looked.resolve((await server.request('GET', MAP)).status);
    if (looks > 1) return exchange(request);
    await ask('PUT', `${NAMESPACE}/finalize`, { metadata: { name: 'again' }, spec: { finalizers: [] } });
    await make();
    await ask('POST', `${NAMESPACE}/configmaps`, { metadata: { name: 'new' } });
    const seen = await exchange(request);
    await ask('DELETE', NAMESPACE);
    return seen;
  };
  const client = createClient(exchangeLocal(noted, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'kubernetes' });
  const ending = new AbortController();
  const running = startNamespaceController(createControllerEnv({ client, clock: systemClock, log: silentLog, signal: ending.signal }));
  await running.synced;
  await make();
  await ask('DELETE', NAMESPACE);
  assert.equal(await looked.promise, 200);
  await running.stop();
  ending.abort();
  await server.close();
});
