import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { ApiObject } from '#api';
import type { ApiResource, Client } from '#client';
import { dependentsIn, findDependents } from './find-dependents.ts';
import { Graph, type Node } from './graph.ts';

const resourceOf = (plural: string, isNamespaced = true): ApiResource => ({ group: '', version: 'v1', plural, kind: plural, isNamespaced, verbs: [] });
const PODS = resourceOf('pods');
const WIDGETS = resourceOf('widgets');
const NODES = resourceOf('nodes', false);

const object = (namespace: string, name: string, more: object = {}): ApiObject => ({ metadata: { namespace, name, uid: name, ...more } }) as unknown as ApiObject;
const ownedBy = (uid: string, more: object = {}): object => ({ ownerReferences: [{ apiVersion: 'v1', kind: 'pods', name: uid, uid, ...more }] });

describe('dependents of an owner', () => {
  /** What the server lists; not what it has no answer for. */
  let listed: Map<ApiResource, readonly ApiObject[]>;
  let graph: Graph;
  let owner: Node;
  const client = {
    metadataAt: (resource: ApiResource) => ({
      async *pages({ namespace }: { readonly namespace: string }) {
        const items = (await Promise.resolve(listed.get(resource))) ?? assert.fail(`no list of ${resource.plural}`);
        yield { items: items.filter(({ metadata }) => metadata.namespace === namespace), resourceVersion: '1' };
      },
    }),
  } as unknown as Client;
  const env = { client, signal: new AbortController().signal };
  beforeEach(() => {
    listed = new Map([[PODS, [object('a', 'p', ownedBy('owner')), object('a', 'q', ownedBy('other')), object('b', 'r', ownedBy('owner'))]]]);
    graph = new Graph({ judge() {}, orphan() {} });
    for (const one of [object('a', 'v', ownedBy('owner', { blockOwnerDeletion: true })), object('b', 'w', ownedBy('owner')), object('a', 'x', ownedBy('other'))]) graph.put(WIDGETS, one);
    for (const one of [object('a', 'owner'), object('a', 'stale', ownedBy('owner'))]) graph.put(PODS, one);
    owner = graph.get('owner')!;
  });

  it('are those that the server lists in its namespace, and of what cannot be listed those that were heard of', async () => {
    const found = await findDependents(env, [PODS, WIDGETS, NODES], owner.seen!, owner.uid, (resource) => dependentsIn(resource, owner, owner.seen!));
    assert.deepEqual(found.map(({ resource, namespace, name, uid, isBlocking }) => [resource, namespace, name, uid, isBlocking]), [
      [PODS, 'a', 'p', 'p', false],
      [WIDGETS, 'a', 'v', 'v', true],
    ]);
  });

  it('cannot be said where something can neither be listed nor was heard of', async () => {
    for (const hearsay of [[], [() => undefined]]) await assert.rejects(findDependents(env, [PODS, WIDGETS], owner.seen!, owner.uid, ...hearsay), /no list of widgets/);
  });

  it('cannot be said by one that stops: what a list did not tell because of that is no hearsay', async () => {
    const stopping = { client, signal: AbortSignal.abort(new Error('it stops')) };
    await assert.rejects(findDependents(stopping, [WIDGETS], owner.seen!, owner.uid, (resource) => dependentsIn(resource, owner, owner.seen!)), /it stops/);
  });
});
