import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { silentLog, systemClock } from '#base';
import { createClient, createControllerEnv, exchangeLocal, type ControllerEnv, type Running } from '#client';
import { startTestServer, TEST_TOKENS, type TestJson, type TestServer } from '#testing';
import { startGarbageCollector } from './garbage-collector/index.ts';
import { startNamespaceController } from './namespace/index.ts';

/** More than are asked for in one request, or worked on at a time. */
const MANY = 120;
const MAPS = '/api/v1/namespaces/big/configmaps';

describe('a controller that is stopped while it is busy with many objects', () => {
  let server: TestServer;
  let env: ControllerEnv;
  let ending: AbortController;
  /** Called before each write of the controller. */
  let onWrite: (path: string) => void;

  const ask = async (method: string, path: string, body?: unknown): Promise<TestJson> => {
    const answer = await server.request(method, path, body);
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const make = async (metadata: object): Promise<void> => {
    for (let at = 0; at < MANY; at++) await ask('POST', MAPS, { metadata: { name: `m-${at}`, ...metadata } });
  };
  /** Starts it, and stops it at its first write below this path; returns how many there were when it had stopped. */
  const stopAtFirst = async (start: (env: ControllerEnv) => Running, below: string): Promise<number> => {
    let count = 0;
    const stopped = new Promise<void>((resolve) => {
      onWrite = (path) => {
        if (path.startsWith(below) && ++count === 1) void running.stop().then(resolve);
      };
    });
    const running = start(env);
    await stopped;
    return count;
  };

  beforeEach(async () => {
    server = await startTestServer({ controllers: 'none', dialect: 'kubernetes' });
    const { exchange } = server.server;
    const noted: typeof exchange = (request) => {
      if ((request.method ?? 'GET') !== 'GET') onWrite(request.path);
      return exchange(request);
    };
    const client = createClient(exchangeLocal(noted, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'kubernetes' });
    ending = new AbortController();
    env = createControllerEnv({ client, clock: systemClock, log: silentLog, signal: ending.signal });
    await ask('POST', '/api/v1/namespaces', { metadata: { name: 'big' } });
  });
  afterEach(async () => {
    ending.abort();
    await server.close();
  });

  it('asks for no more deletions in a namespace, and says nothing of it there', async () => {
    await make({ finalizers: ['example.com/hold'] });
    await ask('DELETE', '/api/v1/namespaces/big');
    assert.equal(await stopAtFirst(startNamespaceController, '/api/v1/namespaces/big'), 1);
    assert.equal((await ask('GET', '/api/v1/namespaces/big')).status.conditions, undefined);
  });

  it('lets no more dependents forget their owner, which waits for the next one', async () => {
    const { uid } = (await ask('POST', '/api/v1/namespaces/big/secrets', { metadata: { name: 'owner' } })).metadata;
    await make({ ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name: 'owner', uid }] });
    await ask('DELETE', '/api/v1/namespaces/big/secrets/owner', { propagationPolicy: 'Orphan' });
    assert.ok((await stopAtFirst(startGarbageCollector, MAPS)) < MANY);
    assert.deepEqual((await ask('GET', '/api/v1/namespaces/big/secrets/owner')).metadata.finalizers, ['orphan']);
  });
});
