import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base';
import { brandOf, DIALECTS, type ApiObject, type Brand, type Follower, type KindName, type ObjectAccess } from '#api';
import type { Answer, Authorizer, Question } from '#request';
import { alwaysAllow } from '../always.ts';
import { union } from '../../union.ts';
import { nodeAuthorizer, type NodeAuthorizer } from './index.ts';

const { signal } = new AbortController();
const asNode = (name: string): Question['user'] => ({ name: `system:node:${name}`, groups: ['system:nodes'] });

/** A world whose objects change under those who follow it. */
class World {
  readonly #followers = new Map<string, Follower>();
  readonly #objects: ApiObject[] = [];
  readonly brand: Brand;
  readonly authorizer: NodeAuthorizer;

  constructor(brand: Brand) {
    this.brand = brand;
    const objects = {
      follow: async ({ kind }: KindName, follower: Follower) => {
        this.#followers.set(kind, follower);
        for (const one of this.#objects) if (one.kind === kind) follower.put(one);
      },
    } as unknown as ObjectAccess;
    this.authorizer = nodeAuthorizer({ brand, objects, log: silentLog, rules: () => [{ verbs: ['get'], apiGroups: [''], resources: ['services'] }] });
    this.authorizer.start(signal);
  }

  get followed(): number {
    return this.#followers.size;
  }

  put(kind: string, name: string, spec: object, metadata: object = {}): void {
    const object = { apiVersion: 'v1', kind, metadata: { name, namespace: 'n', ...metadata }, spec } as unknown as ApiObject;
    this.#objects.push(object);
    this.#followers.get(kind)?.put(object);
  }

  remove(kind: string, name: string): void {
    this.#followers.get(kind)?.remove({ namespace: 'n', name }, undefined);
  }

  /** `verb group/resource[/subresource] name`, in the namespace `n`; the answer: its reason, or `yes`. */
  async ask(text: string, user = asNode('a'), namespace = 'n'): Promise<string> {
    const [verb = '', path = '', name = ''] = text.split(' ');
    const [group = '', resource = '', subresource = ''] = path.split('/');
    const about = { user, verb, apiPrefix: '', version: 'v1', parts: [], isResourceRequest: true, path: '' };
    const asked = { ...about, group: this.brand.group(group), resource, subresource, namespace, name };
    const { verdict, reason } = await this.authorizer.authorize(asked, signal);
    return verdict === 'allow' ? 'yes' : reason;
  }
}

const world = (): World => new World(brandOf('orch'));
const STRANGER = "no relationship found between node 'a' and this object";

const POD = {
  nodeName: 'a',
  serviceAccountName: 'account',
  imagePullSecrets: [{ name: 'pull' }],
  initContainers: [{ env: [{ valueFrom: { secretKeyRef: { name: 'init-key' } } }, { value: 'x' }] }],
  containers: [{ env: [{ valueFrom: { configMapKeyRef: { name: 'map-key' } } }], envFrom: [{ secretRef: { name: 'from' } }, { configMapRef: { name: 'map-from' } }] }],
  ephemeralContainers: [{ envFrom: [{ secretRef: { name: 'debug' } }] }],
  volumes: [
    { name: 'v1', secret: { secretName: 'volume' } },
    { name: 'v2', configMap: { name: 'map-volume' } },
    { name: 'v3', projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'map-projected' } }, {}] } },
    { name: 'v4', persistentVolumeClaim: { claimName: 'claim' } },
    { name: 'v5', ephemeral: {} },
    { name: 'v6', azureFile: { secretName: 'azure' } },
    { name: 'v7', csi: { nodePublishSecretRef: { name: 'csi' } } },
    { name: 'v8', rbd: { secretRef: { name: 'rbd' } } },
  ],
};

test('R5.1-10 a node reads what its pods use, while they run there', async () => {
  const here = world();
  here.put('Pod', 'p', POD);
  const secrets = ['pull', 'init-key', 'from', 'debug', 'volume', 'projected', 'azure', 'csi', 'rbd'].map((name) => `/secrets ${name}`);
  const maps = ['map-key', 'map-from', 'map-volume', 'map-projected'].map((name) => `/configmaps ${name}`);
  const claims = ['claim', 'p-v5'].map((name) => `/persistentvolumeclaims ${name}`);
  const all = [...secrets, ...maps, ...claims];
  for (const what of all) assert.equal(await here.ask(`get ${what}`), 'yes', what);
  for (const what of all) assert.equal(await here.ask(`get ${what}`, asNode('b')), "no relationship found between node 'b' and this object", what);
  for (const what of all) assert.equal(await here.ask(`get ${what}`, asNode('a'), 'm'), STRANGER, what);
  assert.equal(await here.ask('create /serviceaccounts/token account'), 'yes');
  assert.equal(await here.ask('create /serviceaccounts/token other'), STRANGER);
  assert.equal(await here.ask('patch /persistentvolumeclaims/status claim'), 'yes');
  here.put('Pod', 'q', { nodeName: 'a', imagePullSecrets: [{ name: 'pull' }] });
  here.remove('Pod', 'p');
  assert.equal(await here.ask('get /secrets pull'), 'yes');
  for (const what of all.slice(1)) assert.equal(await here.ask(`get ${what}`), STRANGER, what);
  here.remove('Pod', 'q');
  assert.equal(await here.ask('get /secrets pull'), STRANGER);
});

test('pods that run nowhere, and those that only show what a node runs, open nothing', async () => {
  const here = world();
  here.put('Pod', 'p', { ...POD, nodeName: '' });
  here.put('Pod', 'm', POD, { annotations: { [here.brand.names.mirrorPodAnnotation]: 'x' } });
  assert.equal(await here.ask('get /secrets volume'), STRANGER);
});

test('volumes of claims its pods use, the secrets to mount them, and attachments to the node', async () => {
  const here = world();
  const csi = { nodeStageSecretRef: { name: 'stage', namespace: 'm' }, controllerPublishSecretRef: { name: 'controller', namespace: 'm' } };
  here.put('PersistentVolume', 'v', { claimRef: { namespace: 'n', name: 'claim' }, csi, azureFile: { secretName: 'azure' } });
  here.put('PersistentVolume', 'free', { csi });
  assert.equal(await here.ask('get /persistentvolumes v', asNode('a'), ''), STRANGER);
  here.put('Pod', 'p', { nodeName: 'a', volumes: [{ persistentVolumeClaim: { claimName: 'claim' } }] });
  assert.equal(await here.ask('get /persistentvolumes v', asNode('a'), ''), 'yes');
  assert.equal(await here.ask('get /persistentvolumes free', asNode('a'), ''), STRANGER);
  assert.equal(await here.ask('get /secrets stage', asNode('a'), 'm'), 'yes');
  assert.equal(await here.ask('get /secrets azure'), 'yes');
  assert.equal(await here.ask('get /secrets controller', asNode('a'), 'm'), STRANGER);
  here.put('PersistentVolume', 'flex', { claimRef: { namespace: 'n', name: 'claim' }, hostPath: null, flexVolume: { driver: 'd', secretRef: { name: 'flex', namespace: 'm' } } });
  here.put('PersistentVolume', 'far', { claimRef: { namespace: 'n', name: 'claim' }, azureFile: { secretName: 'share', secretNamespace: 'm' } });
  assert.equal(await here.ask('get /secrets share', asNode('a'), 'm'), 'yes');
  assert.equal(await here.ask('get /secrets share'), STRANGER);
  assert.equal(await here.ask('get /secrets flex', asNode('a'), 'm'), 'yes');
  here.remove('PersistentVolume', 'v');
  assert.equal(await here.ask('get /secrets stage', asNode('a'), 'm'), STRANGER);
  here.put('VolumeAttachment', 'va', { nodeName: 'a' });
  assert.equal(await here.ask('get storage/volumeattachments va', asNode('a'), ''), 'yes');
  assert.equal(await here.ask('get storage/volumeattachments va', asNode('b'), ''), "no relationship found between node 'b' and this object");
  here.remove('VolumeAttachment', 'va');
  assert.equal(await here.ask('get storage/volumeattachments va', asNode('a'), ''), STRANGER);
});

test('what is written again counts once, as it was written last', async () => {
  const here = world();
  const ask = async (...asked: readonly (readonly [what: string, namespace?: string])[]): Promise<readonly string[]> =>
    Promise.all(asked.map(([what, namespace = 'n']) => here.ask(`get ${what}`, asNode('a'), namespace)));
  const claim = { name: 'v', persistentVolumeClaim: { claimName: 'claim' } };
  here.put('Pod', 'p', { nodeName: 'a', volumes: [claim], imagePullSecrets: [{ name: 'old' }] });
  for (let times = 0; times < 2; times++) here.put('Pod', 'p', { nodeName: 'a', volumes: [claim], imagePullSecrets: [{ name: 'new' }] });
  assert.deepEqual(await ask(['/secrets old'], ['/secrets new'], ['/persistentvolumeclaims claim']), [STRANGER, 'yes', 'yes']);
  const volume = (stage: string, name = 'claim'): object => ({ claimRef: { namespace: 'n', name }, csi: { nodeStageSecretRef: { name: stage, namespace: 'm' } } });
  here.put('PersistentVolume', 'v', volume('first'));
  here.put('PersistentVolume', 'w', volume('second'));
  here.put('PersistentVolume', 'v', volume('second'));
  assert.deepEqual(await ask(['/secrets first', 'm'], ['/secrets second', 'm']), [STRANGER, 'yes']);
  here.put('PersistentVolume', 'v', { csi: { nodeStageSecretRef: { name: 'second', namespace: 'm' } } });
  assert.deepEqual(await ask(['/persistentvolumes v', ''], ['/persistentvolumes w', ''], ['/secrets second', 'm']), [STRANGER, 'yes', 'yes']);
  here.put('PersistentVolume', 'w', volume('second', 'another'));
  assert.deepEqual(await ask(['/persistentvolumes w', ''], ['/secrets second', 'm']), [STRANGER, STRANGER]);
  here.remove('Pod', 'p');
  assert.deepEqual(await ask(['/secrets new'], ['/persistentvolumeclaims claim']), [STRANGER, STRANGER]);
  here.put('Pod', 'q', { nodeName: 'a', imagePullSecrets: [{ name: 'new' }] });
  here.put('Pod', 'p', { nodeName: 'a' });
  assert.deepEqual(await ask(['/secrets new'], ['/persistentvolumeclaims claim']), ['yes', STRANGER]);
});

const REASONS: readonly (readonly [asked: string, reason: string, namespace?: string])[] = [
  ['list /secrets', 'No Object name found'],
  ['update /secrets s', 'can only read resources of this type'],
  ['get /secrets/x s', 'cannot read subresource'],
  ['list /configmaps', 'can only read namespaced object of this type', ''],
  ['list /persistentvolumeclaims', 'can only get individual resources of this type'],
  ['get /persistentvolumes/status v', 'cannot get subresource'],
  ['get /persistentvolumeclaims/status c', 'can only get/update/patch this type'],
  ['watch storage/volumeattachments', 'can only get individual resources of this type'],
  ['get /serviceaccounts s', 'can only create tokens for individual service accounts'],
  ['create /serviceaccounts/token', 'can only create tokens for individual service accounts'],
  ['create /serviceaccounts s', 'can only create token subresource of serviceaccount'],
  ['list coordination/leases', 'can only get, create, update, patch, or delete a node lease'],
  ['get coordination/leases a', 'can only access leases in the "orch-node-lease" system namespace'],
  ['get coordination/leases b', 'can only access node lease with the same name as the requesting node', 'orch-node-lease'],
  ['get coordination/leases a', 'yes', 'orch-node-lease'],
  ['create coordination/leases', 'yes', 'orch-node-lease'],
  ['watch storage/csinodes a', 'can only get, create, update, patch, or delete a CSINode', ''],
  ['get storage/csinodes/status a', 'cannot authorize CSINode subresources', ''],
  ['update storage/csinodes b', 'can only access CSINode with the same name as the requesting node', ''],
  ['update storage/csinodes a', 'yes', ''],
  ['get /services s', 'yes'],
  ['delete /services s', ''],
];

test('what a node is told, and what it may do without pods; nothing is followed for that', async () => {
  const here = world();
  for (const [asked, reason, namespace = 'n'] of REASONS) assert.equal(await here.ask(asked, asNode('a'), namespace), reason, asked);
  assert.equal(here.followed, 0);
});

test('only members of the group with such a name are nodes, and those need a name', async () => {
  const here = world();
  here.put('Pod', 'p', POD);
  assert.equal(await here.ask('get /secrets volume', { name: 'system:node:a', groups: ['system:masters2'] }), '');
  assert.equal(await here.ask('get /secrets volume', { name: 'a', groups: ['system:nodes'] }), '');
  assert.equal(await here.ask('get /secrets volume', asNode('')), 'unknown node for user "system:node:"');
  const failure = 'node authorizer does not support user rule resolution';
  assert.deepEqual(here.authorizer.rulesOf?.(asNode('a'), 'n'), { rules: [], isIncomplete: true, failure });
  assert.deepEqual(here.authorizer.rulesOf?.({ name: 'u', groups: [] }, 'n'), { rules: [], isIncomplete: false });
});

test('where something cannot be followed, that is told, logged and left to the next module; nothing goes on being followed, and the next question begins anew', async () => {
  const following = new Map<string, AbortSignal>();
  const objects = {
    follow: async ({ kind }: KindName, _follower: Follower, until: AbortSignal) => {
      if (kind === 'VolumeAttachment' && following.size < 3) throw new Error('the store is away');
      following.set(kind, until);
    },
  } as unknown as ObjectAccess;
  const brand = brandOf('orch');
  const ends = new AbortController();
  const logged: unknown[] = [];
  const log = { ...silentLog, error: (...what: readonly unknown[]) => void logged.push(what) };
  const authorizer = nodeAuthorizer({ brand, objects, log, rules: () => [] });
  authorizer.start(ends.signal);
  const about = { user: asNode('a'), verb: 'get', apiPrefix: '', version: 'v1', parts: [], isResourceRequest: true, path: '', subresource: '' };
  const ask = async (...next: readonly Authorizer[]): Promise<Answer> =>
    union([authorizer, ...next]).authorize({ ...about, group: '', resource: 'secrets', namespace: 'n', name: 's' }, signal);
  const failure = 'the node authorizer cannot read what pods use';
  assert.deepEqual(await Promise.all([ask(), ask()]), Array(2).fill({ verdict: 'noOpinion', reason: '', failure }));
  assert.deepEqual(logged, [[failure, { why: 'the store is away' }]]);
  const first = [...following.values()];
  assert.deepEqual(first.map(({ aborted }) => aborted), [true, true]);
  following.clear();
  assert.equal((await ask(alwaysAllow)).verdict, 'allow');
  following.set('VolumeAttachment', signal);
  assert.equal((await ask()).reason, STRANGER);
  const second = [...following.values()];
  assert.deepEqual(second.map(({ aborted }) => aborted), [false, false, false]);
  ends.abort();
  assert.deepEqual(second.map(({ aborted }) => aborted), [true, true, true]);
});

test('groups and namespaces are those of the dialect', async () => {
  for (const dialect of DIALECTS) {
    const here = new World(brandOf(dialect));
    assert.equal(await here.ask('update coordination/leases a', asNode('a'), here.brand.names.leaseNamespace), 'yes');
  }
});
