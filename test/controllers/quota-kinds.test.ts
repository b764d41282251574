import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, createControllerEnv, exchangeLocal } from '#client';
import { startControllers } from '#controllers';
import { deferred, isDeepEqual, silentLog, stayAlive, systemClock, type Clock } from '#base';
import { TEST_TOKENS, TurnedClock, type TestJson } from '#testing';
import { established } from '../support/definitions.ts';
import { Cluster } from './cluster.ts';

type Ask = Parameters<typeof exchangeLocal>[0];

/** Time in which seconds are over soon. */
const HURRIED: Clock = { nowMs: () => systemClock.nowMs(), after: (delayMs, run) => systemClock.after(delayMs / 100, run) };

const QUOTAS = (namespace: string): string => `${namespace}/resourcequotas`;
const usedIs = (used: object) => (one: TestJson): boolean => isDeepEqual(one?.status.used, used);

/** The quota controller of a cluster that runs no other; `through`: what becomes of its requests. */
async function startCounting(cluster: Cluster, through: (request: Parameters<Ask>[0], ask: Ask) => ReturnType<Ask>, retryClock: Clock = systemClock) {
  const { exchange } = cluster.server.server;
  const client = createClient(exchangeLocal((request) => through(request, exchange), { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'orch' });
  const clock = new TurnedClock();
  const ending = new AbortController();
  const running = startControllers(new Set(['resourcequota']), createControllerEnv({ client, clock, retryClock, log: silentLog, signal: ending.signal }));
  await running.synced;
  return {
    clock,
    /** Has the controller look at the kinds of the server. */
    lookAgain: () => clock.turn(30_000),
    async stop() {
      await running.stop();
      ending.abort();
      await cluster.server.close();
    },
  };
}

test('a kind that cannot be listed holds up neither what a quota says of others, nor other quotas; it is counted as soon as it can', { timeout: 20_000 }, async () => {
  const end = stayAlive();
  const cluster = await Cluster.start({ controllers: 'none' });
  const leases = `count/leases.${cluster.brand.group('coordination')}`;
  let isBroken = true;
  const broken = (): ReturnType<Ask> => Promise.reject(new Error('a webhook that converts them is away'));
  const namespaces = ['one', 'two', 'three'];
  for (const name of namespaces) {
    await cluster.make('namespaces', { name });
    await cluster.make(QUOTAS(name), { name: 'quota' }, { spec: { hard: { [leases]: '5', configmaps: '5' } } });
  }
  await cluster.merge(QUOTAS('one'), 'quota/status', { status: { hard: { [leases]: '5' }, used: { [leases]: '3' } } });
  await cluster.make('two/configmaps', { name: 'a' });
  await cluster.make('namespaces', { name: 'other' });
  await cluster.make(QUOTAS('other'), { name: 'quota' }, { spec: { hard: { configmaps: '5' } } });

  const { clock, stop } = await startCounting(cluster, (request, ask) => (isBroken && /\/leases\?/.test(request.path) ? broken() : ask(request)), HURRIED);
  await cluster.until(QUOTAS('other'), 'quota', usedIs({ configmaps: '0' }));
  await cluster.until(QUOTAS('one'), 'quota', usedIs({ [leases]: '3', configmaps: '0' }));
  await cluster.until(QUOTAS('two'), 'quota', usedIs({ configmaps: '1' }));
  isBroken = false;
  // What was used before may have been charged a moment ago.
  clock.turn(2_000);
  for (const name of ['one', 'three']) await cluster.until(QUOTAS(name), 'quota', usedIs({ [leases]: '0', configmaps: '0' }));
  await cluster.until(QUOTAS('two'), 'quota', usedIs({ [leases]: '0', configmaps: '1' }));
  await stop();
  end();
});

test('controllers stop while quotas count what cannot be listed', { timeout: 20_000 }, async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  const leases = `count/leases.${cluster.brand.group('coordination')}`;
  for (const name of ['one', 'two']) await cluster.make(QUOTAS('default'), { name }, { spec: { hard: { [leases]: '5' } } });
  const asked = deferred<void>();
  const { stop } = await startCounting(cluster, (request, ask) => {
    if (!/\/leases\?/.test(request.path)) return ask(request);
    asked.resolve();
    return Promise.reject(new Error('a webhook that converts them is away'));
  });
  await asked.promise;
  await stop();
});

const WIDGETS = 'count/widgets.example.com';
const SCHEMA = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
const DEFINITIONS = 'apiextensions:customresourcedefinitions';

/** Has the server serve widgets in these versions, the last of which it stores. */
async function declare(cluster: Cluster, ...names: readonly string[]): Promise<void> {
  const versions = names.map((name, at) => ({ name, served: at === names.length - 1, storage: at === names.length - 1, schema: SCHEMA }));
  const spec = { group: 'example.com', scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' }, versions };
  if (names.length === 1) await cluster.make(DEFINITIONS, { name: 'widgets.example.com' }, { spec });
  else await cluster.merge(DEFINITIONS, 'widgets.example.com', { spec });
  await established(cluster.server, cluster.path(DEFINITIONS, 'widgets.example.com'));
}

const widgets = (version: string, name = ''): string => `/apis/example.com/${version}/namespaces/default/widgets${name === '' ? '' : `/${name}`}`;
const makeWidget = (cluster: Cluster, version: string, name: string): Promise<TestJson> =>
  cluster.ask('POST', widgets(version), { apiVersion: `example.com/${version}`, kind: 'Widget', metadata: { name } });

test('a kind is counted as soon as it comes, in the version in which it is served, until it goes or no quota names it', { timeout: 20_000 }, async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  let away: (() => void) | undefined;
  let watched = (_signal: AbortSignal): void => {};
  const { lookAgain, stop } = await startCounting(cluster, (request, ask) => {
    if (away !== undefined && request.path === '/apis/example.com') return Promise.reject(new Error('no answer')).finally(away);
    if (/\/v1\/widgets\?.*watch/.test(request.path) && request.signal !== undefined) watched(request.signal);
    return ask(request);
  });
  const used = (amounts: object): Promise<TestJson> => cluster.until(QUOTAS('default'), 'quota', usedIs(amounts));

  // The quota is there first.
  await cluster.make(QUOTAS('default'), { name: 'quota' }, { spec: { hard: { [WIDGETS]: '2', pods: '2' } } });
  await used({ pods: '0' });
  await declare(cluster, 'v1alpha1');
  lookAgain();
  await used({ [WIDGETS]: '0', pods: '0' });
  for (const name of ['a', 'b']) await makeWidget(cluster, 'v1alpha1', name);
  await used({ [WIDGETS]: '2', pods: '0' });

  await declare(cluster, 'v1alpha1', 'v1');
  await cluster.ask('DELETE', widgets('v1', 'a'));
  const next = new Promise<AbortSignal>((resolve) => (watched = resolve));
  lookAgain();
  await used({ [WIDGETS]: '1', pods: '0' });
  const last = await next;

  // What cannot be discovered is followed on.
  const refused = new Promise<void>((resolve) => (away = resolve));
  lookAgain();
  await refused;
  away = undefined;
  await cluster.ask('DELETE', widgets('v1', 'b'));
  await used({ [WIDGETS]: '0', pods: '0' });
  assert.equal(last.aborted, false);

  const ended = new Promise((resolve) => last.addEventListener('abort', resolve, { once: true }));
  await cluster.merge(QUOTAS('default'), 'quota', { spec: { hard: { [WIDGETS]: null } } });
  await used({ pods: '0' });
  lookAgain();
  await ended;

  await cluster.merge(QUOTAS('default'), 'quota', { spec: { hard: { [WIDGETS]: '2' } } });
  await used({ [WIDGETS]: '0', pods: '0' });
  await cluster.delete(DEFINITIONS, 'widgets.example.com');
  await cluster.gone(DEFINITIONS, 'widgets.example.com');
  lookAgain();
  await used({ pods: '0' });
  await stop();
});
