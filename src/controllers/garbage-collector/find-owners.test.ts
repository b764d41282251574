import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { ApiObject } from '#api';
import type { ApiResource, Client } from '#client';
import { AbsentOwners } from './absent-owners.ts';
import { OwnerFinder } from './find-owners.ts';
import { Graph, type OwnerRef } from './graph.ts';

const JOBS: ApiResource = { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', isNamespaced: true, verbs: [] };
const NODES: ApiResource = { ...JOBS, group: '', plural: 'nodes', kind: 'Node', isNamespaced: false };

const job = (uid: string, namespace = 'a'): ApiObject => ({ metadata: { namespace, name: `job-${uid}`, uid } }) as unknown as ApiObject;
const refTo = (uid: string): OwnerRef => ({ apiVersion: 'batch/v1', kind: 'Job', name: `job-${uid}`, uid, isBlocking: false });

describe('finding owners', () => {
  /** What the server has, and what it was asked. */
  let jobs: ApiObject[];
  let asked: string[];
  let graph: Graph;
  let absent: AbsentOwners;
  let finder: OwnerFinder;
  let retired: boolean;
  const client = {
    metadataAt: ({ plural }: ApiResource) => ({
      find: ({ name, namespace }: { readonly name: string; readonly namespace: string }) => {
        asked.push(`${plural} ${namespace}/${name}`);
        return Promise.resolve(jobs.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace));
      },
      async *pages() {
        asked.push(`all ${plural}`);
        const items = [...jobs];
        await Promise.resolve();
        yield { items, resourceVersion: '1' };
      },
    }),
  } as unknown as Client;
  beforeEach(() => {
    [jobs, asked, retired] = [[], [], false];
    graph = new Graph({ judge() {}, orphan() {} });
    absent = new AbsentOwners();
    const followed = (_: string, kind: string): ApiResource | undefined => [JOBS, NODES].find((one) => one.kind === kind);
    finder = new OwnerFinder({ client, graph, absent, followed, isRetired: () => retired });
  });

  /** An object that names these owners. */
  async function named(namespace: string, ...owners: readonly OwnerRef[]): Promise<void> {
    const metadata = { namespace, name: 'child', uid: `child of ${owners.map(({ uid }) => uid).join()}`, ownerReferences: owners };
    graph.put(JOBS, { metadata } as unknown as ApiObject);
    await finder.findOwnersOf(graph.get(metadata.uid)!.seen!);
  }

  it('looks an owner up once, where the object is', async () => {
    jobs = [job('1')];
    await named('a', refTo('1'));
    await named('a', refTo('1'));
    assert.deepEqual([graph.get('1')?.seen?.name, asked], ['job-1', ['jobs a/job-1']]);
    assert.equal(absent.has(refTo('1'), 'a'), false);
  });

  it('looks in all namespaces for one that is not there, once for all who ask meanwhile', async () => {
    jobs = [job('1', 'b'), job('2', 'c'), job('3', 'c')];
    await Promise.all([named('a', refTo('1')), named('a', refTo('2')), named('a', refTo('9'))]);
    assert.deepEqual(['1', '2', '9'].map((uid) => graph.get(uid)?.seen?.namespace), ['b', 'c', undefined]);
    assert.deepEqual(['1', '2', '9'].map((uid) => absent.has(refTo(uid), 'a')), [false, false, true]);
    assert.deepEqual(asked, ['jobs a/job-1', 'jobs a/job-2', 'jobs a/job-9', 'all jobs']);
    await named('', refTo('3'));
    assert.deepEqual([graph.get('3')?.seen?.namespace, asked.slice(4)], ['c', ['all jobs']]);
  });

  it('looks in all namespaces once for all owners of an object that are not there', async () => {
    jobs = [job('1', 'b'), job('2'), job('3', 'c')];
    await named('a', ...['1', '8', '2', '3', '9'].map(refTo));
    assert.deepEqual(['1', '8', '2', '3', '9'].map((uid) => graph.get(uid)?.seen?.namespace), ['b', undefined, 'a', 'c', undefined]);
    assert.deepEqual(['1', '8', '2', '3', '9'].map((uid) => absent.has(refTo(uid), 'a')), [false, true, false, false, true]);
    assert.deepEqual(asked.filter((what) => what.startsWith('all')), ['all jobs']);
  });

  it('reads the list anew for who asks while it is being read: an owner is older than who names it', async () => {
    const first = named('a', refTo('9'));
    while (!asked.includes('all jobs')) await Promise.resolve();
    jobs = [job('1', 'b')];
    await Promise.all([first, named('a', refTo('1'))]);
    assert.equal(graph.get('1')?.seen?.namespace, 'b');
  });

  it('asks nothing about owners that have gone, or of kinds that are not followed', async () => {
    graph.put(JOBS, { metadata: { namespace: 'a', name: 'child', uid: 'child', ownerReferences: [refTo('1')] } } as unknown as ApiObject);
    graph.remove('1');
    await finder.findOwnersOf(graph.get('child')!.seen!);
    assert.equal(absent.has(refTo('1'), 'a'), true);
    await named('a', { ...refTo('2'), kind: 'Event' });
    assert.deepEqual(asked, []);
  });

  it('proves nothing where the owner cannot be named in this way', async () => {
    await named('', refTo('1'));
    assert.equal(absent.has(refTo('1'), ''), false);
    retired = true;
    await named('a', refTo('2'));
    assert.equal(absent.has(refTo('2'), 'a'), false);
    // The kind is there, in another version, and so is the owner.
    jobs = [job('3')];
    await named('a', refTo('3'));
    assert.equal(graph.get('3')?.seen?.name, 'job-3');
  });

  it('looks for owners without a namespace by name alone', async () => {
    await named('a', { ...refTo('1'), apiVersion: 'v1', kind: 'Node', name: 'n' });
    assert.deepEqual(asked, ['nodes a/n']);
  });
});
