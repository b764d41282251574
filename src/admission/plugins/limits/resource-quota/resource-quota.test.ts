import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cloneJson } from '#base';
import { brandOf, createCatalog, type ApiObject, type Follower, type KindName, type ObjectKey, type Resource } from '#api';
import { allKinds, type ResourceQuota } from '#kinds';
import type { AdmissionEnv, AdmissionRequest } from '../../../plugin.ts';
import { admit, make, pod, refused } from '../../../test-support.ts';
import { resourceQuota } from './index.ts';

type Amounts = Readonly<Record<string, string>>;

const quota = (name: string, hard: Amounts, used: Amounts, spec: object = {}): ResourceQuota =>
  make('ResourceQuota', name, { spec: { hard, ...spec }, status: { hard, used } }, { namespace: 'n' }) as ResourceQuota;

const OF_V1 = { apiVersion: 'apiserver.config.orch.io/v1', kind: 'ResourceQuotaConfiguration' };
const limiting = (limitedResources: unknown): object => ({ ...OF_V1, limitedResources });

const brand = brandOf('orch');
const catalog = createCatalog(allKinds, brand);

/** Quotas in a store that counts its writes; `seen` is what this server knows of them, where another one was faster. */
class Store {
  readonly quotas: Map<string, ResourceQuota>;
  readonly #seen: readonly ResourceQuota[];
  #follower: Follower | undefined;
  writes = 0;

  constructor(quotas: readonly ResourceQuota[], seen: readonly ResourceQuota[] = quotas) {
    this.quotas = new Map(quotas.map((one) => [one.metadata.name ?? '', one]));
    this.#seen = seen;
  }

  async follow(_kind: KindName, follower: Follower): Promise<void> {
    this.#follower = follower;
    for (const one of this.#seen) follower.put(one);
  }

  async list(): Promise<readonly ApiObject[]> {
    return [...this.quotas.values()];
  }

  async update(_kind: KindName, { name }: ObjectKey, change: (live: ApiObject) => ApiObject | undefined): Promise<ApiObject | undefined> {
    await new Promise(setImmediate);
    const live = this.quotas.get(name);
    const next = live === undefined ? undefined : (change(cloneJson(live)) as ResourceQuota | undefined);
    if (next === undefined) return live;
    this.writes++;
    this.quotas.set(name, next);
    this.#follower?.put(next);
    return next;
  }

  used(name: string): Amounts | undefined {
    return this.quotas.get(name)?.status.used;
  }
}

type Ask = (objects: readonly ApiObject[], more?: Partial<AdmissionRequest>) => Promise<readonly (string | undefined)[]>;

/** A server on the store. Asked for several objects, it is asked for all at once; it answers with the refusals, in order, undefined where one was let in. */
async function open(store: Store, config?: unknown): Promise<Ask> {
  const env = { brand, catalog, objects: store, clock: { nowMs: () => 0 }, config: () => config } as unknown as AdmissionEnv;
  const hooks = resourceQuota.create(env);
  await hooks.start?.(new AbortController().signal);
  return async (objects, more = {}) => {
    const answers = objects.map(async (object) => {
      const resource = catalog.resources.find(({ kind }) => kind.kind === object.kind) as Resource;
      const request = { operation: more.live === undefined ? 'CREATE' : 'UPDATE', resource, subresource: '', namespace: 'n', name: object.metadata.name, object, dryRun: false, ...more };
      return hooks.validate?.(request as AdmissionRequest);
    });
    return (await Promise.allSettled(answers)).map((answer) => (answer.status === 'rejected' ? (answer.reason as Error).message : undefined));
  };
}

const ask = async (store: Store, objects: readonly ApiObject[], more: Partial<AdmissionRequest> = {}, config?: unknown): ReturnType<Ask> => (await open(store, config))(objects, more);

const maps = (count: number): readonly ApiObject[] => Array.from({ length: count }, (_, index) => make('ConfigMap', `m${index}`));

test('R4.11-19 ResourceQuota: however many come at once, those who fit get in, with one write', async () => {
  const store = new Store([quota('q', { configmaps: '50' }, { configmaps: '0' })]);
  const answers = await ask(store, maps(80));
  assert.equal(answers.filter((why) => why === undefined).length, 50);
  assert.match(answers.at(-1) ?? '', /^configmaps "m79" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=\d+, limited: configmaps=50$/);
  assert.deepEqual(store.used('q'), { configmaps: '50' });
  assert.equal(store.writes, 1);
});

test('ResourceQuota: what another server has charged counts', async () => {
  const store = new Store([quota('q', { configmaps: '10' }, { configmaps: '9' })], [quota('q', { configmaps: '10' }, { configmaps: '0' })]);
  const answers = await ask(store, maps(3));
  assert.deepEqual(answers.map((why) => why === undefined), [true, false, false]);
  assert.deepEqual(store.used('q'), { configmaps: '10' });
  assert.equal(store.writes, 1, 'it was charged for those who were refused too');
  const unknown = new Store([quota('q', { configmaps: '10' }, {})], [quota('q', { configmaps: '10' }, { configmaps: '0' })]);
  assert.match((await ask(unknown, maps(1)))[0] ?? '', /status unknown for quota: q, resources: configmaps$/);
});

test('ResourceQuota: who loses a race for a quota is judged by what it holds then alone', async () => {
  /** Of every change, the first attempt is lost to somebody who gave back all that was used. */
  class Contested extends Store {
    override async update(kind: KindName, key: ObjectKey, change: (live: ApiObject) => ApiObject | undefined): Promise<ApiObject | undefined> {
      change(cloneJson(this.quotas.get(key.name) as ApiObject));
      this.quotas.set(key.name, quota('q', { configmaps: '2' }, { configmaps: '0' }));
      return super.update(kind, key, change);
    }
  }
  const store = new Contested([quota('q', { configmaps: '2' }, { configmaps: '1' })], [quota('q', { configmaps: '2' }, { configmaps: '0' })]);
  assert.deepEqual(await ask(store, maps(2)), [undefined, undefined]);
  assert.deepEqual(store.used('q'), { configmaps: '2' });
});

test('ResourceQuota: who comes when nobody waits any more is served too, and until then nothing goes on', async () => {
  const asked = await open(new Store([quota('q', { configmaps: '2' }, { configmaps: '0' })]));
  assert.deepEqual(await asked(maps(1)), [undefined]);
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  assert.ok(!process.getActiveResourcesInfo().includes('Immediate'));
  assert.deepEqual(await asked(maps(1)), [undefined]);
  assert.match((await asked(maps(1)))[0] ?? '', /exceeded quota: q/);
});

test('ResourceQuota: who is refused by one quota is charged by none', async () => {
  const known = [quota('a', { configmaps: '5' }, { configmaps: '0' }), quota('b', { 'count/configmaps': '1' }, { 'count/configmaps': '0' })];
  const store = new Store(known);
  assert.deepEqual((await ask(store, maps(3))).map((why) => why === undefined), [true, false, false]);
  assert.deepEqual([store.used('a'), store.used('b')], [{ configmaps: '1' }, { 'count/configmaps': '1' }]);
  assert.equal(store.writes, 2, 'nobody had to be given back what is known to be refused');

  const full = quota('b', { 'count/configmaps': '1' }, { 'count/configmaps': '1' });
  const raced = new Store([known[0] as ResourceQuota, full], known);
  assert.deepEqual((await ask(raced, maps(1))).map((why) => why === undefined), [false]);
  assert.deepEqual([raced.used('a'), raced.used('b')], [{ configmaps: '0' }, { 'count/configmaps': '1' }]);
});

test('ResourceQuota: a store that fails lets nobody in, and keeps nobody waiting', async () => {
  class Failing extends Store {
    fails = 1;
    override update(...asked: Parameters<Store['update']>): ReturnType<Store['update']> {
      return this.fails-- > 0 ? Promise.reject(new Error('cut')) : super.update(...asked);
    }
  }
  const store = new Failing([quota('q', { configmaps: '5' }, { configmaps: '0' })]);
  assert.deepEqual(await ask(store, maps(2)), ['cut', 'cut']);
  assert.deepEqual([store.used('q'), await ask(store, maps(2)), store.used('q')], [{ configmaps: '0' }, [undefined, undefined], { configmaps: '2' }]);
});

test('ResourceQuota: a quota that is gone counts no more, the others do', async () => {
  const store = new Store([quota('a', { configmaps: '0' }, { configmaps: '0' }), quota('b', { secrets: '0' }, { secrets: '0' })]);
  const follow = store.follow.bind(store);
  store.follow = async (kind, follower) => {
    await follow(kind, follower);
    follower.remove({ namespace: 'n', name: 'a' }, undefined);
  };
  assert.deepEqual(await ask(store, maps(1)), [undefined]);
  assert.match((await ask(store, [make('Secret', 's')]))[0] ?? '', /exceeded quota: b/);

  // It goes while another one is charged.
  const racing = new Store([quota('a', { configmaps: '1' }, { configmaps: '0' }), quota('b', { configmaps: '1' }, { configmaps: '0' })]);
  let known: Follower | undefined;
  const [followed, updated] = [racing.follow.bind(racing), racing.update.bind(racing)];
  racing.follow = (kind, follower) => followed(kind, (known = follower));
  racing.update = async (kind, key, change) => {
    known?.remove({ namespace: 'n', name: 'b' }, undefined);
    return updated(kind, key, change);
  };
  assert.deepEqual([await ask(racing, maps(1)), racing.used('a')], [[undefined], { configmaps: '1' }]);
});

test('ResourceQuota: of several quotas that refuse it, the first by name is told', async () => {
  const full = (name: string): ResourceQuota => quota(name, { configmaps: '0' }, { configmaps: '0' });
  for (const names of [['a', 'b', 'c'], ['c', 'b', 'a'], ['b', 'c', 'a']]) assert.match((await ask(new Store(names.map(full)), maps(1)))[0] ?? '', /exceeded quota: a,/);
});

test('ResourceQuota: nobody pays less than nothing', async () => {
  const asking = pod({ containers: [{ name: 'c', resources: { requests: { cpu: '-1', memory: '-1Gi' } } }] });
  await assert.rejects(admit(resourceQuota, asking, { known: [quota('q', { pods: '9' }, { pods: '0' })] }), refused('quota usage is negative for resource(s): cpu,memory,requests.cpu,requests.memory'));
  const claim = make('PersistentVolumeClaim', 'c', { spec: { resources: { requests: { storage: '-1Gi' } } }, status: {} });
  await assert.rejects(admit(resourceQuota, claim, { known: [quota('q', { 'requests.storage': '9Gi' }, { 'requests.storage': '0' })] }), refused('quota usage is negative for resource(s): requests.storage'));
});

test('ResourceQuota: a refused one does not take the place of the next', async () => {
  const rich = pod({ containers: [{ name: 'c', resources: { requests: { cpu: '9' } } }] });
  const poor = pod({ containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] });
  const store = new Store([quota('a', { pods: '1' }, { pods: '0' }), quota('b', { 'requests.cpu': '1' }, { 'requests.cpu': '0' })]);
  assert.deepEqual((await ask(store, [rich, poor])).map((why) => why === undefined), [false, true]);
});

test('R4.8-05 ResourceQuota: a dry run is judged and charges nothing', async () => {
  const store = new Store([quota('q', { configmaps: '1' }, { configmaps: '0' })]);
  assert.deepEqual(await ask(store, maps(2), { dryRun: true }), [undefined, undefined]);
  assert.deepEqual([store.used('q'), store.writes], [{ configmaps: '0' }, 0]);
  const full = new Store([quota('q', { configmaps: '1' }, { configmaps: '1' })]);
  assert.match((await ask(full, maps(1), { dryRun: true }))[0] ?? '', /exceeded quota: q/);
});

test('ResourceQuota: what goes on is told even where a quota on events is used up', async () => {
  const store = new Store([quota('q', { 'count/events': '1' }, { 'count/events': '1' })]);
  assert.deepEqual([await ask(store, [make('Event', 'e')]), store.writes], [[undefined], 0]);
});

test('ResourceQuota: containers must say what a quota limits, and the status must be known', async () => {
  const hard = { 'limits.cpu': '1', 'requests.memory': '1Gi', pods: '3' };
  const known = [quota('q', hard, { 'limits.cpu': '0', 'requests.memory': '0', pods: '0' })];
  await assert.rejects(admit(resourceQuota, pod(), { known }), refused('failed quota: q: must specify limits.cpu,requests.memory'));
  const saying = { name: 'c', resources: { limits: { cpu: '1' }, requests: { memory: '1Gi' } } };
  assert.deepEqual(await ask(new Store(known), [pod({ containers: [saying], initContainers: [saying] })]), [undefined]);
  const unsaid = pod({ containers: [saying], initContainers: [saying, { name: 'i', resources: { limits: { memory: '1Gi' }, requests: { cpu: '1' } } }] });
  await assert.rejects(admit(resourceQuota, unsaid, { known }), refused('failed quota: q: must specify limits.cpu,requests.memory'));
  await assert.rejects(admit(resourceQuota, make('ConfigMap', 'm'), { known: [quota('q', { configmaps: '1' }, {})] }), refused('status unknown for quota: q, resources: configmaps'));
});

test('ResourceQuota: of a changed service or claim only what it wants more counts', async () => {
  const claim = (storage: string): ApiObject => make('PersistentVolumeClaim', 'c', { spec: { resources: { requests: { storage } } }, status: {} });
  const store = new Store([quota('q', { 'requests.storage': '3Gi', persistentvolumeclaims: '1' }, { 'requests.storage': '1Gi', persistentvolumeclaims: '1' })]);
  assert.deepEqual(await ask(store, [claim('2Gi')], { live: claim('1Gi') }), [undefined]);
  assert.deepEqual(store.used('q'), { 'requests.storage': '2Gi', persistentvolumeclaims: '1' });
  assert.deepEqual(await ask(store, [claim('1Gi')], { live: claim('2Gi') }), [undefined]);
  assert.deepEqual(store.used('q'), { 'requests.storage': '2Gi', persistentvolumeclaims: '1' }, 'given back by the controller');
  assert.match((await ask(store, [claim('4Gi')], { live: claim('2Gi') }))[0] ?? '', /requested: requests.storage=2Gi, used: requests.storage=2Gi, limited: requests.storage=3Gi$/);
  const lowered = new Store([quota('q', { 'requests.storage': '1Gi' }, { 'requests.storage': '2Gi' })]);
  assert.deepEqual(await ask(lowered, [claim('2Gi')], { live: claim('2Gi') }), [undefined], 'what wants nothing more is let in where the quota was lowered');
  const changed = make('ConfigMap', 'm');
  assert.deepEqual(await ask(new Store([quota('q', { configmaps: '1' }, { configmaps: '1' })]), [changed], { live: changed }), [undefined]);
});

test('ResourceQuota: what takes nothing of a quota does not change it, and a namespace is not in itself', async () => {
  const store = new Store([quota('q', { 'services.nodeports': '0', 'count/namespaces': '0' }, { 'services.nodeports': '0', 'count/namespaces': '0' })]);
  const service = make('Service', 's', { spec: { type: 'ClusterIP', ports: [{ port: 1 }] } });
  assert.deepEqual([await ask(store, [service, make('Namespace', 'n')]), store.writes], [[undefined, undefined], 0]);
});

test('ResourceQuota: what is done to a pod that is there, and what is only asked, costs nothing where all is used up', async () => {
  const used = { pods: '1', 'limits.cpu': '1', 'count/localsubjectaccessreviews.authorization.orch.io': '0' };
  const full = new Store([quota('q', used, used)]);
  for (const subresource of ['binding', 'eviction', 'status']) assert.deepEqual(await ask(full, [pod()], { subresource }), [undefined], subresource);
  assert.deepEqual(await ask(full, [pod()], { live: pod() }), [undefined]);
  assert.deepEqual(await ask(full, [make('LocalSubjectAccessReview', '')]), [undefined]);
  assert.deepEqual([full.used('q'), full.writes], [used, 0]);
});

test('ResourceQuota: a quota with scopes counts only the pods in them', async () => {
  const known = [quota('q', { pods: '0' }, { pods: '0' }, { scopes: ['BestEffort'] })];
  await assert.rejects(admit(resourceQuota, pod(), { known }), refused('exceeded quota: q'));
  const asking = pod({ containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] });
  assert.deepEqual(await ask(new Store(known), [asking]), [undefined]);
  const store = new Store([quota('q', { pods: '1' }, { pods: '0' }, { scopes: ['BestEffort'] })]);
  assert.deepEqual([await ask(store, [asking, pod(), asking]), store.used('q')], [[undefined, undefined, undefined], { pods: '1' }]);
});

test('ResourceQuota: a resource that needs a quota needs it for what is used of it, and after containers have said what quotas limit', async () => {
  const config = limiting([{ resource: 'services', matchContains: ['nodeports'] }, { resource: 'pods', matchContains: ['limits.memory'] }]);
  const service = (type: string): ApiObject => make('Service', 's', { spec: { type, ports: [{ port: 1 }] } });
  await admit(resourceQuota, service('ClusterIP'), { config });
  await assert.rejects(admit(resourceQuota, service('NodePort'), { config }), refused('insufficient quota to consume: services.nodeports'));
  await admit(resourceQuota, service('NodePort'), { config, live: service('NodePort') });
  await assert.rejects(admit(resourceQuota, service('NodePort'), { config, live: service('ClusterIP') }), refused('insufficient quota to consume: services.nodeports'));
  await admit(resourceQuota, service('NodePort'), { config: limiting([{ apiGroup: 'example.com', resource: 'services', matchContains: ['services'] }]) });
  const limited = pod({ containers: [{ name: 'c', resources: { limits: { memory: '1Gi' } } }] });
  const known = [quota('a', { pods: '0' }, { pods: '0' }), quota('q', { 'requests.cpu': '1' }, { 'requests.cpu': '0' })];
  await assert.rejects(admit(resourceQuota, limited, { config, known }), refused('failed quota: q: must specify requests.cpu'));
});

test('ResourceQuota: by configuration a resource may need a quota that covers it', async () => {
  const ofMaps = { resource: 'configmaps', matchContains: ['count/'] };
  const matchScopes = [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }];
  const config = limiting([ofMaps, { resource: 'pods', matchContains: null, matchScopes }]);
  await assert.rejects(admit(resourceQuota, make('ConfigMap', 'm'), { config }), refused('insufficient quota to consume: count/configmaps'));
  const uncovered = { reason: '', message: 'insufficient quota to match these scopes: [{PriorityClass In [high]}]' };
  await assert.rejects(admit(resourceQuota, pod({ priorityClassName: 'high' }), { config }), uncovered);
  await admit(resourceQuota, pod({ priorityClassName: 'low' }), { config });
  const ofClass = (values: readonly string[]): ResourceQuota => quota('q', { pods: '9' }, { pods: '0' }, { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values }] } });
  const high = [pod({ priorityClassName: 'high' })];
  assert.deepEqual(await ask(new Store([ofClass(['high', 'low'])]), high, {}, config), [undefined]);
  assert.match((await ask(new Store([ofClass(['low'])]), high, {}, config))[0] ?? '', /^insufficient quota to match these scopes: /);
  assert.deepEqual(await ask(new Store([quota('q', { 'count/configmaps': '1' }, { 'count/configmaps': '0' })]), maps(1), {}, config), [undefined]);
  await admit(resourceQuota, make('Secret', 's'), { config });
  await assert.rejects(admit(resourceQuota, pod({ priorityClassName: 'high' }), { config: limiting([{ resource: 'configmaps', matchScopes }]) }), uncovered);
  const term = { topologyKey: 'zone', namespaces: ['other'] };
  const reaching = pod({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } });
  const ofReach = limiting([{ resource: 'pods', matchScopes: [{ scopeName: 'CrossNamespacePodAffinity', operator: 'Exists' }] }]);
  const unreached = { reason: '', message: 'insufficient quota to match these scopes: [{CrossNamespacePodAffinity Exists []}]' };
  await assert.rejects(admit(resourceQuota, reaching, { config: ofReach }), unreached);
  for (const config of [OF_V1, limiting(null), limiting([{ apiGroup: null, resource: 'pods', matchContains: null, matchScopes: null }])]) await admit(resourceQuota, reaching, { config });
  const odd = [{}, null, { resource: '' }, ...[{ apiGroup: 1 }, { matchContains: 'x' }, { matchContains: [1] }].map((more) => ({ resource: 'pods', ...more }))];
  const scope = { scopeName: 'PriorityClass', operator: 'In', values: ['high'] };
  const oddScopes = [{}, null, { scopeName: 'PriorityClass' }, { operator: 'Exists' }, { ...scope, values: 'high' }, { ...scope, operator: 'in' }].map((one) => ({ resource: 'pods', matchScopes: [one] }));
  await assert.rejects(admit(resourceQuota, pod(), { config: limiting({}) }), /ResourceQuota: limitedResources must be a list/);
  for (const one of [...odd, ...oddScopes]) {
    await assert.rejects(admit(resourceQuota, pod(), { config: limiting([ofMaps, one]) }), /ResourceQuota: limitedResources\[1\]\./);
  }
});

test('ResourceQuota: a scope with a value that no label can have is told to every pod, and to nothing else', async () => {
  const ofClass = (operator: string): ResourceQuota => quota('q', { pods: '9' }, { pods: '0' }, { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator, values: ['low', 'high '] }] } });
  for (const operator of ['In', 'NotIn']) {
    const store = new Store([quota('a', { pods: '0' }, { pods: '0' }), ofClass(operator)]);
    const why = `error matching scopes of quota q, err: error on matching scope {PriorityClass ${operator} [low high ]}: failed to parse and convert selector: values[1][PriorityClass]: Invalid value: "high ": a valid label must be `;
    for (const told of await ask(store, [pod(), pod({ priorityClassName: 'low' })])) assert.equal(told?.slice(0, why.length), why);
    assert.deepEqual(await ask(store, maps(1)), [undefined]);
  }
});

test('ResourceQuota: its configuration says what it is, in a version that there is or was, of either dialect', async () => {
  const limitedResources = [{ resource: 'configmaps', matchContains: ['count/'] }];
  const known = ['orch.io', 'k8s.io'].flatMap((domain) => [
    { apiVersion: `apiserver.config.${domain}/v1`, kind: 'ResourceQuotaConfiguration' },
    ...['v1beta1', 'v1alpha1'].map((version) => ({ apiVersion: `resourcequota.admission.${domain}/${version}`, kind: 'Configuration' })),
  ]);
  for (const what of known) {
    await assert.rejects(admit(resourceQuota, make('ConfigMap', 'm'), { config: { ...what, limitedResources } }), refused('insufficient quota to consume: count/configmaps'));
  }
  const others = [{}, { kind: OF_V1.kind }, { apiVersion: OF_V1.apiVersion }, { ...OF_V1, kind: 'Configuration' }, { ...known[1], apiVersion: OF_V1.apiVersion }, { ...OF_V1, apiVersion: 'apiserver.config.orch.io/v2' }];
  for (const config of [null, 1, [], '', ...others.map((what) => ({ ...what, limitedResources }))]) {
    const message = 'configuration of the admission plugin ResourceQuota: must be a ResourceQuotaConfiguration of apiserver.config.orch.io/v1 or apiserver.config.k8s.io/v1';
    await assert.rejects(admit(resourceQuota, pod(), { config }), { message }, JSON.stringify(config));
  }
});
