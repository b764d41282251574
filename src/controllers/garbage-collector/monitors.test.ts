import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '#api';
import { deferred } from '#base';
import type { ControllerEnv, Discovered } from '#client';
import { ApiError } from '#errors';
import { AbsentOwners } from './absent-owners.ts';
import { Graph } from './graph.ts';
import { Monitors } from './monitors.ts';

const resource = (group: string, plural: string) => ({ group, version: 'v1', plural, kind: plural, isNamespaced: true, verbs: ['delete', 'list', 'watch'] });
const SERVED = [resource('', 'pods'), resource('apps', 'deployments'), resource('batch', 'jobs')];

/** A list that never comes. */
const NO_PAGES = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };

/** Monitors of what this client discovers, until the signal aborts. */
function monitorsOf(client: Partial<ControllerEnv['client']>, signal: AbortSignal): { readonly monitors: Monitors; readonly followed: () => readonly string[] } {
  const env = {
    client: { metadataAt: () => ({ pages: () => NO_PAGES }), ...client },
    signal,
    retryClock: { nowMs: () => 0, after: () => () => {} },
  } as unknown as ControllerEnv;
  const monitors = new Monitors(env, new Graph({ judge() {}, orphan() {} }), new AbsentOwners());
  return { monitors, followed: () => monitors.all().map(({ plural }) => plural) };
}

test('kinds whose version did not answer are followed on, of the core group as of any other', async () => {
  const ending = new AbortController();
  const answers: Discovered[] = [
    { resources: SERVED, serves: () => true, failures: [] },
    { resources: [], serves: () => false, failures: ['v1', 'apps/v1'].map((apiVersion) => ({ apiVersion, cause: new Error('not now') })) },
  ];
  const { monitors, followed } = monitorsOf({ discover: () => Promise.resolve(answers.shift()!) }, ending.signal);
  await monitors.refresh();
  assert.deepEqual(followed(), ['pods', 'deployments', 'jobs']);
  await monitors.refresh();
  assert.deepEqual(followed(), ['pods', 'deployments']);
  ending.abort();
});

test('a group that is asked for alone changes nothing of others', async () => {
  const ending = new AbortController();
  const only = (...resources: Discovered['resources'][number][]): Discovered => ({
    resources,
    serves: (apiVersion, kind) => resources.some((one) => apiVersion === `${one.group}/${one.version}` && one.kind === kind),
    failures: [],
  });
  const groups = [only(resource('apps', 'daemonsets')), only(), only(resource('example.com', 'things'))];
  const asked: string[] = [];
  const discoverGroup = (group: string): Promise<Discovered> => Promise.resolve((asked.push(group), groups.shift()!));
  const { monitors, followed } = monitorsOf({ discover: () => Promise.resolve(only(...SERVED)), discoverGroup }, ending.signal);
  await monitors.refresh();
  await monitors.refreshGroup('apps');
  assert.deepEqual(followed(), ['pods', 'jobs', 'daemonsets']);
  assert.deepEqual([monitors.find('apps/v1', 'deployments'), monitors.find('apps/v1', 'daemonsets')?.plural, monitors.find('batch/v1', 'jobs')?.plural], [undefined, 'daemonsets', 'jobs']);
  await monitors.refreshGroup('apps');
  assert.deepEqual([followed(), monitors.isRetired('apps/v2', 'daemonsets')], [['pods', 'jobs'], false]);
  await monitors.refreshGroup('example.com');
  assert.deepEqual([followed(), asked, monitors.isRetired('example.com/v2', 'things')], [['pods', 'jobs', 'things'], ['apps', 'apps', 'example.com'], true]);
  ending.abort();
});

test('a kind that comes back with another name or another scope is followed as what it is now', async () => {
  const ending = new AbortController();
  const things = resource('example.com', 'things');
  const next = { ...things, isNamespaced: false };
  const last = { ...next, kind: 'Stuff' };
  const groups = [things, { ...things }, next, last].map((one): Discovered => ({ resources: [one], serves: () => true, failures: [] }));
  const { monitors } = monitorsOf({ discoverGroup: () => Promise.resolve(groups.shift()!) }, ending.signal);
  for (const followed of [things, things, next, last]) {
    await monitors.refreshGroup('example.com');
    assert.deepEqual(monitors.all(), [followed]);
  }
  ending.abort();
});

test('what was known before a resource was listed anew and is not in the list has gone; what is heard of meanwhile stays', async () => {
  const ending = new AbortController();
  const dependent = (uid: string, owner: string): ApiObject =>
    ({ metadata: { namespace: 'n', name: uid, uid, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'deployments', name: owner, uid: owner }] } }) as unknown as ApiObject;
  const owner = (uid: string): ApiObject => ({ metadata: { namespace: 'n', name: uid, uid } }) as unknown as ApiObject;
  const judged: string[] = [];
  const graph = new Graph({ judge: ({ uid }) => judged.push(uid), orphan() {} });
  const absent = new AbsentOwners();
  let lists = 0;
  async function* pages(): AsyncGenerator<{ readonly items: readonly ApiObject[]; readonly resourceVersion: string }> {
    lists += 1;
    yield { items: lists === 1 ? [owner('kept'), owner('lost')] : [owner('kept')], resourceVersion: '1' };
    await Promise.resolve();
    if (lists === 2) graph.observe(graph.get('new')!, resource('apps', 'deployments'), owner('new'));
  }
  const expired = new ApiError('Expired', 'too old');
  let watches = 0;
  const again = deferred<void>();
  const metadataAt = ({ plural }: { readonly plural: string }): object =>
    plural !== 'deployments'
      ? { pages: () => NO_PAGES }
      : {
          pages,
          watchBatches: () => {
            watches += 1;
            if (watches === 1) return Promise.reject(expired);
            again.resolve();
            return new Promise(() => {});
          },
        };
  for (const uid of ['kept', 'lost', 'new']) graph.put(resource('', 'pods'), dependent(`of ${uid}`, uid));
  judged.length = 0;
  const env = { client: { metadataAt, discover: () => Promise.resolve({ resources: SERVED, serves: () => true, failures: [] }) }, signal: ending.signal, retryClock: { nowMs: () => 0, after: () => () => {} } };
  const monitors = new Monitors(env as unknown as ControllerEnv, graph, absent);
  await monitors.refresh();
  await again.promise;
  assert.deepEqual(graph.of(resource('apps', 'deployments')).map(({ uid }) => uid), ['kept', 'new']);
  assert.deepEqual(judged, ['of lost']);
  const ref = { apiVersion: 'apps/v1', kind: 'deployments', isBlocking: false };
  assert.deepEqual(['kept', 'lost', 'new'].map((uid) => absent.has({ ...ref, name: uid, uid }, 'n')), [false, true, false]);
  ending.abort();
});
