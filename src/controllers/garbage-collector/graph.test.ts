import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { ApiObject } from '#api';
import { Graph } from './graph.ts';

const CONFIG_MAPS = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', isNamespaced: true, verbs: [] };

const refTo = (uid: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid });
const object = (uid: string, ...owners: readonly string[]): ApiObject =>
  ({ metadata: { namespace: 'n', name: uid, uid, ...(owners.length === 0 ? {} : { ownerReferences: owners.map(refTo) }) } }) as unknown as ApiObject;
const going = (uid: string, finalizer: string): ApiObject =>
  ({ metadata: { ...object(uid).metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [finalizer] } }) as ApiObject;

describe('the owner graph', () => {
  let judged: string[];
  let graph: Graph;
  const put = (...objects: readonly ApiObject[]): void => objects.forEach((one) => graph.put(CONFIG_MAPS, one));
  const observed = (): readonly string[] => graph.of(CONFIG_MAPS).map(({ uid }) => uid);
  beforeEach(() => {
    judged = [];
    graph = new Graph({ judge: ({ uid }) => judged.push(uid), orphan: ({ uid }) => judged.push(`orphans ${uid}`) });
  });

  it('has no object that neither owns nor is owned, and one that no longer does leaves it', () => {
    put(object('a'), object('child', 'owner'));
    assert.deepEqual([observed(), graph.get('a')], [['child'], undefined]);
    put(object('owner'));
    assert.deepEqual(observed(), ['child', 'owner']);
    put(object('child'));
    assert.deepEqual([observed(), graph.get('child'), graph.get('owner')], [[], undefined, undefined]);
  });

  it('does not compare each of very many owners with each, which takes minutes', () => {
    const owners = Array.from({ length: 60_000 }, (_, n) => `owner-${n}`);
    put(object('child', ...owners), object('child', ...owners.toReversed()), object('child', ...owners.slice(1)));
    assert.deepEqual([judged, graph.get('owner-0'), graph.get('owner-1')?.dependents.size], [['child', 'child'], undefined, 1]);
  });

  it('has objects whose deletion waits, until they have gone', () => {
    put(going('waits', 'foregroundDeletion'), going('forgets', 'orphan'), going('held', 'example.com/hold'));
    assert.deepEqual([observed(), judged], [['waits', 'forgets'], ['waits', 'orphans forgets']]);
    graph.remove('waits');
    graph.remove('forgets');
    assert.deepEqual(observed(), []);
  });

  it('judges dependents when their owner goes, also one that it has only heard of', () => {
    put(object('child', 'unseen'), object('other', 'seen'), object('seen'));
    judged = [];
    graph.remove('unseen');
    graph.remove('seen');
    graph.remove('nobody');
    assert.deepEqual(judged, ['child', 'other']);
  });

  it('takes an owner that was looked up, unless it has heard of it since', () => {
    put(object('child', 'owner'));
    const node = graph.get('owner')!;
    graph.observe(node, CONFIG_MAPS, object('owner'));
    assert.equal(node.seen?.name, 'owner');
    graph.remove('owner');
    graph.observe(node, CONFIG_MAPS, object('owner'));
    assert.equal(node.seen, undefined);
    // The same uid, named anew: the look-up was made for the node before.
    graph.remove('child');
    put(object('late', 'owner'));
    graph.observe(node, CONFIG_MAPS, object('owner'));
    assert.equal(graph.get('owner')?.seen, undefined);
    // Newer than the look-up.
    put(going('owner', 'foregroundDeletion'));
    graph.observe(graph.get('owner')!, CONFIG_MAPS, object('owner'));
    assert.equal(graph.get('owner')?.seen?.isForeground, true);
  });

  it('can forget what is no longer followed, and see it again', () => {
    put(object('child', 'owner'), object('owner'));
    judged = [];
    for (const uid of observed()) graph.forget(uid);
    assert.deepEqual([observed(), judged], [[], []]);
    put(object('child', 'owner'));
    graph.forget('owner');
    graph.observe(graph.get('owner')!, CONFIG_MAPS, object('owner'));
    assert.deepEqual(observed(), ['child', 'owner']);
  });
});
