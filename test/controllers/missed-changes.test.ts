import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, createControllerEnv, exchangeLocal } from '#client';
import { startControllers } from '#controllers';
import { deferred, silentLog, systemClock } from '#base';
import { TEST_TOKENS, TurnedClock, type TestJson } from '#testing';
import { Cluster } from './cluster.ts';

/** Controllers of a server that tells them nothing of namespaces, until it says that they have missed too much. */
async function startDeaf(cluster: Cluster, names: readonly string[]) {
  const { exchange } = cluster.server.server;
  const missed = deferred<void>();
  async function* deaf(): AsyncGenerator<Uint8Array> {
    await missed.promise;
    yield Buffer.from(`${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } })}\n`);
  }
  let isDeaf = true;
  const ask: Parameters<typeof exchangeLocal>[0] = (request) => {
    if (!isDeaf || !/^\/api\/v1\/namespaces\?.*watch/.test(request.path)) return exchange(request);
    isDeaf = false;
    return Promise.resolve({ status: 200, headers: {}, stream: deaf() });
  };
  const client = createClient(exchangeLocal(ask, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'orch' });
  const ending = new AbortController();
  const env = createControllerEnv({ client, clock: new TurnedClock(), retryClock: systemClock, log: silentLog, signal: ending.signal });
  const running = startControllers(new Set(names), { ...env, rootCa: 'PEM' } as typeof env);
  await running.synced;
  return {
    /** What has changed meanwhile is heard as the difference of two lists. */
    hearAll: () => missed.resolve(),
    async stop() {
      await running.stop();
      ending.abort();
      await cluster.server.close();
    },
  };
}

test('a namespace that goes, in the place of one that went, is emptied', { timeout: 20_000 }, async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  await cluster.make('namespaces', { name: 'twice' });
  await cluster.make('twice/configmaps', { name: 'one', finalizers: ['example.com/hold'] });
  await cluster.delete('namespaces', 'twice');
  const { hearAll, stop } = await startDeaf(cluster, ['namespace']);
  await cluster.until('twice/configmaps', 'one', (one) => one.metadata.deletionTimestamp !== undefined);
  await cluster.until('namespaces', 'twice', (one) => (one.status.conditions ?? []).length > 0);
  await cluster.merge('twice/configmaps', 'one', { metadata: { finalizers: null } });
  await cluster.gone('namespaces', 'twice');

  await cluster.make('namespaces', { name: 'twice' });
  await cluster.make('twice/configmaps', { name: 'one' });
  await cluster.delete('namespaces', 'twice');
  hearAll();
  await cluster.gone('namespaces', 'twice');
  await stop();
});

test('what was often put right in a namespace counts for nothing in another that has taken its place', { timeout: 20_000 }, async () => {
  const cluster = await Cluster.start({ controllers: 'namespace' });
  const name = cluster.brand.names.rootCaConfigMap;
  const isOwn = (one: TestJson): boolean => one?.data['ca.crt'] === 'PEM';
  await cluster.make('namespaces', { name: 'twice' });
  const { hearAll, stop } = await startDeaf(cluster, ['root-ca-cert-publisher']);
  await cluster.appears('twice/configmaps', name);
  for (let times = 0; times < 2; times++) {
    await cluster.merge('twice/configmaps', name, { data: { 'ca.crt': 'other' } });
    await cluster.until('twice/configmaps', name, isOwn);
  }
  await cluster.delete('namespaces', 'twice');
  await cluster.gone('namespaces', 'twice');
  await cluster.make('namespaces', { name: 'twice' });
  hearAll();
  assert.ok(isOwn(await cluster.appears('twice/configmaps', name)));
  await stop();
});
