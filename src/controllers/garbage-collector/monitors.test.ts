import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ControllerEnv, Discovered } from '#client';
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
