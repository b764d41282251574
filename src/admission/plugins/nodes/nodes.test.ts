import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '#errors';
import type { ApiObject } from '#api';
import { admit, make, pod, refused, type Setting } from '../../test-support.ts';
import { nodeRestriction } from './node-restriction/index.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';

const user = { name: 'system:node:a', groups: ['system:nodes'] };
const asNode = (object: ApiObject, setting: Setting = {}): Promise<ApiObject> => admit(nodeRestriction, object, { user, ...setting });
const node = (labels: object = {}, spec: object = {}, name = 'a'): ApiObject => make('Node', name, { spec }, { labels });

test('TaintNodesByCondition: a new node gets no pods before it is found ready, and is told so once', async () => {
  const taint = { key: 'node.orch.io/not-ready', effect: 'NoSchedule' };
  const others = [{ key: taint.key, effect: 'NoExecute' }, { key: 'node.orch.io/unreachable', effect: taint.effect }];
  const taintsOf = async (taints: object[] | undefined, setting: Setting = {}): Promise<unknown> =>
    ((await admit(taintNodesByCondition, make('Node', 'a', { spec: { taints } }), setting)) as ApiObject & { readonly spec: { readonly taints?: unknown } }).spec.taints;
  assert.deepEqual(await taintsOf(undefined), [taint]);
  assert.deepEqual(await taintsOf([...others]), [...others, taint]);
  assert.deepEqual(await taintsOf([taint, ...others]), [taint, ...others]);
  assert.deepEqual(await taintsOf([], { live: node() }), []);
});

test('NodeRestriction: only users of the group with a name of the form are nodes, and those must have a name', async () => {
  await admit(nodeRestriction, node({}, {}, 'b'));
  await admit(nodeRestriction, node({}, {}, 'b'), { user: { name: 'system:node:a', groups: [] } });
  await admit(nodeRestriction, node({}, {}, 'b'), { user: { name: 'operator', groups: ['system:nodes'] } });
  await assert.rejects(asNode(node({}, {}, 'b')), refused('node "a" is not allowed to modify node "b"'));
  await asNode(node(), { live: node(), operation: 'DELETE' });
  await assert.rejects(asNode(node({}, {}, 'b'), { live: node({}, {}, 'b'), operation: 'DELETE' }), refused('node "a" is not allowed to modify node "b"'));
  await assert.rejects(asNode(node(), { user: { ...user, name: 'system:node:' } }), refused('could not determine node from user "system:node:"'));
});

test('NodeRestriction: what a node sends is judged before others change it, and before a name is made', async () => {
  const lease = make('Lease', '', {}, { generateName: 'a-' });
  await assert.rejects(asNode(lease, { namespace: 'orch-node-lease' }), refused('leases.coordination.orch.io "a-" is forbidden'));
  const changed: typeof nodeRestriction = { ...nodeRestriction, create: (env) => ({ ...nodeRestriction.create(env), mutate: () => {} }) };
  await admit(changed, node({}, {}, 'b'), { user });
});

test('NodeRestriction: labels that steer workloads are not the node\'s to set', async () => {
  const free = ['example.com/x', 'orch.io/hostname', 'orch.io/os', 'orch.io/arch', 'topology.orch.io/zone', 'topology.orch.io/region', 'beta.orch.io/arch', 'beta.orch.io/os', 'beta.orch.io/instance-type', 'failure-domain.beta.orch.io/zone', 'failure-domain.beta.orch.io/region', 'kubelet.orch.io/x', 'x.node.orch.io/y', 'plain'];
  for (const label of free) await asNode(node({ [label]: '1' }));
  const bare = make('Node', 'a', { spec: {} });
  await asNode(bare);
  for (const [next, live] of [[bare, bare], [bare, node({ plain: '1' })], [node({ plain: '1' }), bare]] as const) await asNode(next, { live });
  for (const label of ['orch.io/other', 'node-role.orch.io/x', 'node-restriction.orch.io/x', 'x.node-restriction.orch.io/y', 'topology.orch.io/other', 'orch.io/instance-type']) {
    await assert.rejects(asNode(node({ [label]: '1' })), refused(`node "a" is not allowed to set the following labels: ${label}`));
    await asNode(node({ [label]: '1' }), { live: node({ [label]: '1' }) });
    await assert.rejects(asNode(node(), { live: node({ [label]: '1' }) }), refused(`nodes "a" is forbidden: is not allowed to modify labels: ${label}`));
  }
});

test('NodeRestriction: with two domains, the labels of both are not the node\'s to set', async () => {
  const set = (label: string): Promise<ApiObject> => asNode(node({ [label]: '1' }), { dialect: 'kubernetes' });
  for (const label of ['kubernetes.io/hostname', 'topology.kubernetes.io/zone', 'kubelet.kubernetes.io/x', 'mykubernetes.io/x', 'myk8s.io/x']) await set(label);
  for (const label of ['kubernetes.io/other', 'node-role.kubernetes.io/x', 'node-restriction.kubernetes.io/x', 'k8s.io/x', 'x.k8s.io/y', 'k8s.io/hostname']) {
    await assert.rejects(set(label), refused(`is not allowed to set the following labels: ${label}`));
  }
});

test('NodeRestriction: taints, owners and the source of its configuration stay', async () => {
  await assert.rejects(asNode(node({}, { taints: [] }), { live: node({}, { taints: [{ key: 'k' }] }) }), refused('not allowed to modify taints'));
  await assert.rejects(asNode(node({}, { configSource: {} })), refused('with a non-nil configSource'));
  await assert.rejects(asNode(node({}, { configSource: {} }), { live: node() }), refused('not allowed to update configSource'));
  for (const spec of [{ configSource: { configMap: {} } }, {}]) await asNode(node({}, spec), { live: node({}, { configSource: { configMap: {} } }) });
  await asNode(node({}, { taints: [{ key: 'k' }] }), { live: node({}, { taints: [{ key: 'k' }] }) });
  const owned = make('Node', 'a', { spec: {} }, { ownerReferences: [{ uid: 'u' }] });
  await assert.rejects(asNode(owned, { live: node() }), refused('not allowed to modify ownerReferences'));
});

const owner = { apiVersion: 'v1', kind: 'Node', name: 'a', uid: 'u', controller: true };
const mirror = (spec: object = {}, metadata: object = {}): ApiObject =>
  pod({ nodeName: 'a', ...spec }, { annotations: { 'orch.io/config.mirror': 'x' }, ownerReferences: [owner], ...metadata });
const known = [make('Node', 'a', {}, { uid: 'u' })];

test('NodeRestriction: a node creates mirror pods of its own alone, and they see nothing of the API', async () => {
  const env = (from: object): object => ({ containers: [{ name: 'c', resources: {}, env: [{ name: 'E', valueFrom: from }] }] });
  const rows: readonly (readonly [object: ApiObject, why: string])[] = [
    [pod({ nodeName: 'a' }), 'pod does not have "orch.io/config.mirror" annotation, node "a" can only create mirror pods'],
    [mirror({ nodeName: 'b' }), 'can only create pods with spec.nodeName set to itself'],
    [mirror({}, { ownerReferences: [owner, owner] }), 'with a single owner reference set to itself'],
    [mirror({}, { ownerReferences: [] }), 'with an owner reference set to itself'],
    [mirror({}, { ownerReferences: [{ ...owner, kind: 'Pod' }] }), 'with an owner reference set to itself'],
    [mirror({}, { ownerReferences: [{ ...owner, name: 'b' }] }), 'with an owner reference set to itself'],
    [mirror({}, { ownerReferences: [{ ...owner, controller: false }] }), 'with a controller owner reference'],
    [mirror({}, { ownerReferences: [{ ...owner, blockOwnerDeletion: true }] }), 'must not set blockOwnerDeletion'],
    [mirror({}, { ownerReferences: [{ ...owner, uid: 'v' }] }), 'UID mismatch: expected v got u'],
    [mirror({ serviceAccountName: 's' }), 'reference a service account'],
    [mirror({ volumes: [{ name: 'v', secret: { secretName: 's' } }] }), 'reference secrets'],
    [mirror({ imagePullSecrets: [{ name: 's' }] }), 'reference secrets'],
    [mirror(env({ secretKeyRef: { name: 's' } })), 'reference secrets'],
    [mirror({ initContainers: [{ name: 'i', envFrom: [{ secretRef: { name: 's' } }] }] }), 'reference secrets'],
    [mirror({ volumes: [{ name: 'v', projected: { sources: [{ secret: { name: 's' } }] } }] }), 'reference secrets'],
    [mirror({ initContainers: [{ name: 'i', envFrom: [{ configMapRef: { name: 'm' } }] }] }), 'reference configmaps'],
    [mirror({ volumes: [{ name: 'v', projected: { sources: [{ configMap: { name: 'm' } }] } }] }), 'reference configmaps'],
    [mirror(env({ configMapKeyRef: { name: 's' } })), 'reference configmaps'],
    [mirror({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] }), 'reference persistentvolumeclaims'],
  ];
  await asNode(mirror(), { known });
  for (const [object, why] of rows) await assert.rejects(asNode(object, { known }), refused(why));
  await assert.rejects(asNode(mirror()), (thrown) => thrown instanceof ApiError && thrown.message === 'node "a" not found');
});

test('NodeRestriction: of pods a node reports, evicts and removes its own', async () => {
  const [own, other] = [pod({ nodeName: 'a' }), pod({ nodeName: 'b' })];
  await asNode(own, { live: own, subresource: 'status' });
  await assert.rejects(asNode(other, { live: other, subresource: 'status' }), refused('can only update pod status for pods with spec.nodeName set to itself'));
  const labelled = pod({ nodeName: 'a' }, { labels: { a: 'b' } });
  await assert.rejects(asNode(labelled, { live: own, subresource: 'status' }), refused('cannot update labels through pod status'));
  await assert.rejects(asNode(own, { live: own }), refused('can only create and delete mirror pods'));
  await assert.rejects(asNode(own, { live: own, subresource: 'ephemeralcontainers' }), refused('unexpected pod subresource "ephemeralcontainers"'));
  await asNode(own, { live: own, operation: 'DELETE' });
  await assert.rejects(asNode(other, { live: other, operation: 'DELETE' }), refused('can only delete pods with spec.nodeName set to itself'));
  await asNode(own, { subresource: 'eviction', known: [own] });
  await assert.rejects(asNode(other, { subresource: 'eviction', known: [other] }), refused('can only evict pods'));
  const pods = [own, pod({ nodeName: 'b' }, { name: 'q' })];
  await assert.rejects(asNode(own, { subresource: 'eviction', name: 'q', known: pods }), refused('can only evict pods'));
  const isNotFound = (thrown: unknown): boolean => thrown instanceof ApiError && thrown.message === 'pod "p" not found';
  await assert.rejects(asNode(own, { subresource: 'eviction' }), isNotFound);
  await assert.rejects(asNode(pod({}, { name: '' }), { subresource: 'eviction', known: [own] }), refused('could not determine pod from request data'));
  await assert.rejects(asNode(own, { subresource: 'eviction', known: [own], live: own }), refused('unexpected operation UPDATE'));
  await assert.rejects(asNode(own, { subresource: 'status' }), refused('unexpected operation "CREATE"'));
});

test('NodeRestriction: claims, leases, CSI nodes and tokens', async () => {
  const claim = (status: object, labels: object = {}): ApiObject => make('PersistentVolumeClaim', 'c', { spec: {}, status }, { labels });
  await asNode(claim({ capacity: { storage: '2Gi' } }), { live: claim({}), subresource: 'status' });
  const written = make('PersistentVolumeClaim', 'c', { spec: {}, status: { conditions: [{ type: 'Resizing' }] } }, { labels: {}, resourceVersion: '2', managedFields: [] });
  await asNode(written, { live: claim({}), subresource: 'status' });
  await assert.rejects(asNode(claim({ phase: 'Bound' }), { live: claim({}), subresource: 'status' }), refused('fields other than status.capacity'));
  await assert.rejects(asNode(claim({}, { a: 'b' }), { live: claim({}), subresource: 'status' }), refused('fields other than status.capacity'));
  await assert.rejects(asNode(claim({}), { live: claim({}) }), refused('may only update PVC status'));
  await assert.rejects(asNode(claim({}), { subresource: 'status' }), refused('unexpected operation "CREATE"'));
  await asNode(make('Lease', 'a'), { namespace: 'orch-node-lease' });
  await assert.rejects(asNode(make('Lease', 'b'), { namespace: 'orch-node-lease' }), refused('node lease with the same name'));
  await assert.rejects(asNode(make('Lease', 'a')), refused('leases in the "orch-node-lease" system namespace'));
  await asNode(make('CSINode', 'a'));
  await assert.rejects(asNode(make('CSINode', 'b')), refused('can only access CSINode with the same name'));
  await asNode(make('ConfigMap', 'anything'));
  // What is deleted is known by its name alone; a collection has none.
  for (const [kind, place] of [['Lease', { namespace: 'orch-node-lease' }], ['CSINode', {}], ['Node', {}]] as const) {
    const remove = (name: string): Promise<ApiObject> => asNode(make(kind, name), { ...place, operation: 'DELETE', name });
    await remove('a');
    for (const name of ['b', '']) await assert.rejects(remove(name), refused(''), `${kind} ${name}`);
  }
});

test('NodeRestriction: tokens are for pods that run on the node', async () => {
  const running = pod({ nodeName: 'a' }, { uid: 'u' });
  const ask = (boundObjectRef: object | undefined, there: ApiObject = running): Promise<ApiObject> =>
    asNode(make('ServiceAccount', 's', { spec: { boundObjectRef } }), { subresource: 'token', known: [there] });
  const bound = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };
  await ask(bound);
  await assert.rejects(ask(undefined), refused('node requested token not bound to a pod'));
  await assert.rejects(ask({ ...bound, kind: 'Secret' }), refused('node requested token not bound to a pod'));
  await assert.rejects(ask({ ...bound, name: '' }), refused('node requested token not bound to a pod'));
  await assert.rejects(ask({ ...bound, uid: '' }), refused('with a pod binding without a uid'));
  await assert.rejects(ask({ ...bound, uid: 'v' }), refused('does not match the UID in record'));
  await assert.rejects(ask(bound, pod({ nodeName: 'b' }, { uid: 'u' })), refused('scheduled on a different node'));
  await assert.rejects(ask({ ...bound, name: 'gone' }), (thrown) => thrown instanceof ApiError && thrown.message === 'pod "gone" not found');
});
