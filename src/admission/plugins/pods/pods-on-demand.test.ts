import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '#api';
import { ApiError } from '#errors';
import { admit, admitted, make, pod, refused } from '../../test-support.ts';
import { alwaysPullImages } from './always-pull-images.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';
import { denyEscalatingExec } from './deny-escalating-exec.ts';
import { denyExecOnPrivileged } from './deny-exec-on-privileged.ts';
import { extendedResourceToleration } from './extended-resource-toleration.ts';
import { limitPodHardAntiAffinityTopology } from './limit-pod-hard-anti-affinity-topology.ts';
import { podNodeSelector } from './pod-node-selector.ts';
import { podTolerationRestriction } from './pod-toleration-restriction.ts';
import { runtimeClass } from './runtime-class.ts';
import { securityContextDeny } from './security-context-deny.ts';

const container = (more: object = {}): object => ({ name: 'c', resources: {}, ...more });

test('R4.11-28 AlwaysPullImages: every container of a new pod, and of one that gets a new image', async () => {
  const lists = (image: string): object => ({
    initContainers: [container({ image, imagePullPolicy: 'Never' })],
    containers: [container({ image, imagePullPolicy: 'IfNotPresent' })],
    ephemeralContainers: [container({ image })],
  });
  const policies = (object: ReturnType<typeof pod>): unknown =>
    [object.spec.initContainers, object.spec.containers, object.spec.ephemeralContainers].flatMap((list) => (list ?? []).map(({ imagePullPolicy }) => imagePullPolicy));
  assert.deepEqual(policies(await admit(alwaysPullImages, pod(lists('a')))), ['Always', 'Always', 'Always']);
  assert.deepEqual(policies(await admit(alwaysPullImages, pod(lists('a')), { live: pod(lists('a')) })), ['Never', 'IfNotPresent', undefined]);
  assert.deepEqual(policies(await admit(alwaysPullImages, pod(lists('b')), { live: pod(lists('a')) })), ['Always', 'Always', 'Always']);
});

test('R4.11-28 AlwaysPullImages: what somebody changes afterwards is refused', async () => {
  const plugin: typeof alwaysPullImages = { ...alwaysPullImages, create: (env) => ({ ...alwaysPullImages.create(env), mutate: () => {} }) };
  const [always, never] = ['Always', 'Never'].map((imagePullPolicy) => container({ image: 'a', imagePullPolicy }));
  await admit(plugin, pod({ containers: [always], initContainers: [always] }));
  await admit(plugin, pod({ containers: [never] }), { live: pod({ containers: [never] }) });
  for (const list of ['initContainers', 'containers', 'ephemeralContainers']) {
    await assert.rejects(admit(plugin, pod({ containers: [always], [list]: [always, never] })), refused(`spec.${list}[1].imagePullPolicy: Unsupported value: "Never": supported values: "Always"`));
  }
});

test('R4.11-29 R4.11-30 R4.11-44 DenyEscalatingExec and DenyExecOnPrivileged: no way into containers that reach the node', async () => {
  const all = [container({ securityContext: { privileged: true } })];
  const rows = [
    [pod({ hostPID: true }), 'container using host pid', undefined],
    [pod({ hostIPC: true }), 'container using host ipc', undefined],
    ...(['initContainers', 'containers', 'ephemeralContainers'] as const).map((list) => [pod({ [list]: all }), 'a privileged container', 'a privileged container'] as const),
    [pod(), undefined, undefined],
  ] as const;
  for (const [object, escalating, onPrivileged] of rows) {
    for (const [plugin, why] of [[denyEscalatingExec, escalating], [denyExecOnPrivileged, onPrivileged]] as const) {
      for (const subresource of ['exec', 'attach']) {
        const setting = { operation: 'CONNECT', subresource, known: [object] } as const;
        if (why !== undefined) await assert.rejects(admit(plugin, object, setting), refused(`cannot exec into or attach to a`));
        if (why !== undefined) await assert.rejects(admit(plugin, object, setting), refused(why));
        else assert.deepEqual((await admitted(plugin, object, setting)).warnings, [`admission plugin ${plugin.name} is deprecated`]);
        await admit(plugin, object, { ...setting, known: [] });
      }
    }
  }
});

test('R4.11-34 R4.11-44 ExtendedResourceToleration: a toleration for each resource of a device, once', async () => {
  const object = pod({
    tolerations: [{ key: 'example.com/b', operator: 'Exists', effect: 'NoSchedule' }],
    containers: [container({ resources: { requests: { 'example.com/b': '1', 'example.com/a': '1', cpu: '1' } } })],
    initContainers: [container({ resources: { requests: { 'example.com/a': '1', 'orch.io/x': '1' } } })],
  });
  const keys = (await admit(extendedResourceToleration, object)).spec.tolerations?.map(({ key }) => key);
  assert.deepEqual(keys, ['example.com/b', 'example.com/a']);
  const asking = [container({ resources: { requests: { 'example.com/c': '1' } } })];
  for (const [spec, setting] of [[{ containers: asking }, {}], [{ containers: [], initContainers: asking }, {}], [{ containers: asking }, { live: pod() }]] as const) {
    assert.deepEqual((await admit(extendedResourceToleration, pod(spec), setting)).spec.tolerations, [{ key: 'example.com/c', operator: 'Exists', effect: 'NoSchedule' }]);
  }
});

test('ExtendedResourceToleration: as many resources as a body allows', async () => {
  const requests = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`example.com/r${n}`, '1']));
  assert.equal((await admit(extendedResourceToleration, pod({ containers: [container({ resources: { requests } })] }))).spec.tolerations?.length, 60_000);
});

test('LimitPodHardAntiAffinityTopology: nothing larger than a node', async () => {
  const apart = (topologyKey: string): object => ({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey }] } } });
  await admit(limitPodHardAntiAffinityTopology, pod(apart('orch.io/hostname')));
  await assert.rejects(admit(limitPodHardAntiAffinityTopology, pod(apart('zone'))), refused('has TopologyKey zone but only key orch.io/hostname is allowed'));
  await assert.rejects(admit(limitPodHardAntiAffinityTopology, pod(apart('zone')), { live: pod() }), refused('has TopologyKey zone'));
});

test('SecurityContextDeny: pods do not say as whom they run', async () => {
  const rows: readonly (readonly [spec: object, why: string])[] = [
    [{ securityContext: { supplementalGroups: [1] } }, 'pod.Spec.SecurityContext.SupplementalGroups is forbidden'],
    [{ securityContext: { seLinuxOptions: {} } }, 'pod.Spec.SecurityContext.SELinuxOptions is forbidden'],
    [{ securityContext: { runAsUser: 0 } }, 'pod.Spec.SecurityContext.RunAsUser is forbidden'],
    [{ securityContext: { fsGroup: 1 } }, 'pod.Spec.SecurityContext.FSGroup is forbidden'],
    [{ initContainers: [container({ securityContext: { runAsUser: 1 } })] }, ': SecurityContext.RunAsUser is forbidden'],
    [{ containers: [container({ securityContext: { seLinuxOptions: {} } })] }, ': SecurityContext.SELinuxOptions is forbidden'],
  ];
  for (const [spec, why] of rows) await assert.rejects(admit(securityContextDeny, pod(spec)), refused(why));
  for (const [spec, why] of rows) await assert.rejects(admit(securityContextDeny, pod(spec), { live: pod() }), refused(why));
  await admit(securityContextDeny, pod({ securityContext: { runAsNonRoot: true } }));
});

const namespace = (annotations: object = {}): ApiObject => make('Namespace', 'n', {}, { annotations });

test('PodNodeSelector: pods run on the nodes of their namespace', async () => {
  const config = { podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: 'pool=general', n: 'pool=a,disk=ssd' } };
  const own = [namespace({ 'scheduler.alpha.orch.io/node-selector': 'pool=a' })];
  const general = { podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: 'pool=general' } };
  assert.deepEqual((await admit(podNodeSelector, pod({ nodeSelector: { disk: 'ssd' } }), { known: own, config })).spec.nodeSelector, { disk: 'ssd', pool: 'a' });
  assert.deepEqual((await admit(podNodeSelector, pod(), { known: [namespace()], config: general })).spec.nodeSelector, { pool: 'general' });
  assert.equal((await admit(podNodeSelector, pod(), { known: [namespace()] })).spec.nodeSelector, undefined);
  await assert.rejects(admit(podNodeSelector, pod({ nodeSelector: { pool: 'b' } }), { known: own }), refused('conflicts with its namespace node label selector'));
  await assert.rejects(admit(podNodeSelector, pod({ nodeSelector: { disk: 'hdd' } }), { known: own, config }), refused('conflict with its namespace whitelist'));
  // A webhook may change the pod between the two looks.
  const later: typeof podNodeSelector = { ...podNodeSelector, create: (env) => ({ ...podNodeSelector.create(env), mutate: () => {} }) };
  await admit(later, pod({ nodeSelector: { pool: 'a' } }), { known: own, config });
  await assert.rejects(admit(later, pod({ nodeSelector: { pool: 'b' } }), { known: own }), refused('conflicts with its namespace node label selector'));
  await assert.rejects(admit(later, pod({ nodeSelector: { disk: 'hdd' } }), { known: own, config }), refused('conflict with its namespace whitelist'));
  const none = [namespace({ 'scheduler.alpha.orch.io/node-selector': '' })];
  assert.equal((await admit(podNodeSelector, pod(), { known: none, config: general })).spec.nodeSelector, undefined);
  for (const config of [null, { podNodeSelectorPluginConfig: null }, ...['', null].map((n) => ({ podNodeSelectorPluginConfig: { n } }))]) {
    await admit(podNodeSelector, pod({ nodeSelector: { disk: 'hdd' } }), { known: none, config });
  }
  const broken: readonly (readonly [string, string])[] = [
    ['pool in (a', 'invalid selector: [pool in (a]'],
    ['pool==a,=b', 'invalid selector: [pool  a]'],
    ['pool=a,', 'invalid selector: []'],
    ['a b=c', `<nil>: Invalid value: "a b": name part must consist`],
    ['pool=b c', `[pool]: Invalid value: "b c": a valid label must be`],
  ];
  for (const [text, words] of broken) {
    const failed = (thrown: unknown): boolean => thrown instanceof ApiError && thrown.reason === '' && thrown.message.startsWith(words);
    await assert.rejects(admit(podNodeSelector, pod(), { known: [namespace({ 'scheduler.alpha.orch.io/node-selector': text })] }), failed);
  }
  for (const bad of [[], 1, { podNodeSelectorPluginConfig: 1 }, { podNodeSelectorPluginConfig: { n: 1 } }, { podNodeSelectorPluginConfig: { n: 'a in (b,c)' } }]) {
    await assert.rejects(admit(podNodeSelector, pod(), { config: bad }), /PodNodeSelector/);
  }
});

const RESTRICTION = { apiVersion: 'podtolerationrestriction.admission.orch.io/v1alpha1', kind: 'Configuration' };

test('PodTolerationRestriction: pods tolerate what their namespace gives them and lets them', async () => {
  const given = { key: 'a', operator: 'Exists' };
  const defaults = [namespace({ 'scheduler.alpha.orch.io/defaultTolerations': JSON.stringify([given]) })];
  const allowed = [namespace({ 'scheduler.alpha.orch.io/tolerationsWhitelist': JSON.stringify([given]) })];
  const own = { key: 'a', operator: 'Equal', value: 'x' };
  assert.deepEqual((await admit(podTolerationRestriction, pod(), { known: defaults })).spec.tolerations, [given]);
  assert.deepEqual((await admit(podTolerationRestriction, pod({ tolerations: [own] }), { known: defaults })).spec.tolerations, [given]);
  const other = { ...own, key: 'b' };
  assert.deepEqual((await admit(podTolerationRestriction, pod({ tolerations: [other] }), { known: defaults })).spec.tolerations, [other, given]);
  assert.deepEqual((await admit(podTolerationRestriction, pod({ tolerations: [other, other] }), { known: [namespace()] })).spec.tolerations, [other, other]);
  assert.deepEqual((await admit(podTolerationRestriction, pod(), { known: [namespace()], config: { ...RESTRICTION, default: [given] } })).spec.tolerations, [given]);
  const asking = (): ReturnType<typeof pod> => pod({ containers: [container({ resources: { requests: { memory: '1Gi' } } })] });
  const pressure = { key: 'node.orch.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' };
  assert.deepEqual((await admit(podTolerationRestriction, asking(), { known: [namespace()] })).spec.tolerations, [pressure]);
  assert.deepEqual((await admit(podTolerationRestriction, asking(), { known: defaults })).spec.tolerations, [given, pressure]);
  await admit(podTolerationRestriction, pod({ tolerations: [own] }), { known: allowed });
  const failed = (words: string) => (thrown: unknown): boolean => thrown instanceof ApiError && thrown.reason === '' && thrown.message.includes(words);
  const conflict = failed('conflict with its namespace whitelist');
  await assert.rejects(admit(podTolerationRestriction, pod({ tolerations: [{ ...own, key: 'b' }] }), { known: allowed }), conflict);
  await assert.rejects(admit(podTolerationRestriction, pod({ tolerations: [{ operator: 'Exists' }] }), { known: allowed }), conflict);
  assert.equal((await admit(podTolerationRestriction, pod(), { known: defaults, live: pod() })).spec.tolerations, undefined);
  await assert.rejects(admit(podTolerationRestriction, pod({ tolerations: [other] }), { known: allowed, live: pod() }), conflict);
  const config = { ...RESTRICTION, default: [other], whitelist: [given] };
  await assert.rejects(admit(podTolerationRestriction, pod(), { known: [namespace()], config }), failed('conflict with its cluster whitelist'));
  const none = [namespace({ 'scheduler.alpha.orch.io/defaultTolerations': '', 'scheduler.alpha.orch.io/tolerationsWhitelist': 'null' })];
  assert.equal((await admit(podTolerationRestriction, pod(), { known: none, config })).spec.tolerations, undefined);
  await admit(podTolerationRestriction, pod({ tolerations: [own] }), { known: none, config });
  assert.deepEqual((await admit(podTolerationRestriction, asking(), { known: [namespace()], live: asking() })).spec.tolerations, [pressure]);
  const broken = [['{', 'unexpected end of JSON input'], ['{}', 'json: cannot unmarshal object into Go value of type []v1.Toleration'], ['[{"key":1}]', 'Go struct field Toleration.key of type string']] as const;
  for (const [text, words] of broken) {
    await assert.rejects(admit(podTolerationRestriction, pod(), { known: [namespace({ 'scheduler.alpha.orch.io/defaultTolerations': text })] }), failed(words));
  }
  const anyCase = [namespace({ 'scheduler.alpha.orch.io/defaultTolerations': '[{"KEY":"a","Operator":"Exists","more":1}]' })];
  assert.deepEqual((await admit(podTolerationRestriction, pod(), { known: anyCase })).spec.tolerations, [given]);
});

test('PodTolerationRestriction: its configuration says what it is, and has tolerations that pods may have', async () => {
  const known = [namespace()];
  const spelled = { key: 'a', operator: 'Exists', value: null, effect: 'NoExecute', tolerationSeconds: 7 };
  for (const apiVersion of [RESTRICTION.apiVersion, 'podtolerationrestriction.admission.k8s.io/v1alpha1']) {
    const config = { ...RESTRICTION, apiVersion, default: [spelled], whitelist: null };
    const { tolerations } = (await admit(podTolerationRestriction, pod(), { known, config })).spec;
    assert.deepEqual(tolerations, [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 7 }]);
  }
  for (const config of [null, 1, {}, { kind: 'Configuration' }, { ...RESTRICTION, kind: 'Pod' }, { ...RESTRICTION, apiVersion: 'v1' }]) {
    await assert.rejects(admit(podTolerationRestriction, pod(), { config }), /PodTolerationRestriction: must be a Configuration of podtolerationrestriction\.admission\.orch\.io\/v1alpha1 or /);
  }
  const rows: readonly (readonly [wrong: object, told: RegExp])[] = [
    [{ default: {} }, /PodTolerationRestriction: default must be a list of tolerations$/],
    [{ whitelist: [{ key: 'a', operator: 'Exists' }, null] }, /whitelist\[1\]: expected an object, found null$/],
    [{ whitelist: [{ key: 1 }] }, /whitelist\[0\]\.key: expected string, found the number 1$/],
    [{ default: [{ keys: 'a', operator: 'Exists' }] }, /default\[0\]\.keys is no member of a toleration$/],
    [{ default: [{ key: 'a', operator: 'Is' }] }, /default\[0\]\.operator: Unsupported value: "Is"/],
    [{ whitelist: [{ key: 'a', tolerationSeconds: 1 }] }, /whitelist\[0\]\.effect: Invalid value: ""/],
  ];
  for (const [wrong, told] of rows) await assert.rejects(admit(podTolerationRestriction, pod(), { config: { ...RESTRICTION, ...wrong } }), told);
});

test('PodTolerationRestriction: of lists as long as may be each toleration is not compared with each', async () => {
  const tolerations = Array.from({ length: 30_000 }, (_, n) => ({ key: `k${n}`, operator: 'Exists' }));
  const config = { ...RESTRICTION, whitelist: tolerations.toReversed() };
  await admit(podTolerationRestriction, pod({ tolerations }), { known: [namespace()], config });
});

test('R4.11-42 R4.11-43 R8-17 R8-18 DefaultTolerationSeconds: the times can be set', async () => {
  const times = async (config: unknown): Promise<unknown> =>
    (await admit(defaultTolerationSeconds, pod(), { config })).spec.tolerations?.map(({ key, tolerationSeconds }) => [key, tolerationSeconds]);
  assert.deepEqual(await times(undefined), [['node.orch.io/not-ready', 300], ['node.orch.io/unreachable', 300]]);
  assert.deepEqual(await times({ notReadySeconds: 5, unreachableSeconds: 7 }), [['node.orch.io/not-ready', 5], ['node.orch.io/unreachable', 7]]);
  for (const bad of [[], { notReadySeconds: 'x' }, { unreachableSeconds: 1.5 }]) await assert.rejects(times(bad), /DefaultTolerationSeconds/);
});

test('R4.11-20 RuntimeClass: pods carry what their class costs, and run where it can', async () => {
  const known = [
    make('RuntimeClass', 'r', { overhead: { podFixed: { cpu: '10m' } }, scheduling: { nodeSelector: { a: 'b' }, tolerations: [{ key: 'k', operator: 'Exists' }] } }),
    make('RuntimeClass', 'plain'),
    make('RuntimeClass', 'nothing', { overhead: {} }),
    make('RuntimeClass', 'large', { overhead: { podFixed: { memory: '1Gi', cpu: '1' } } }),
    make('RuntimeClass', 'placed', { scheduling: { nodeSelector: { a: 'b' } } }),
  ];
  const of = (runtimeClassName: string, more: object = {}): Promise<ReturnType<typeof pod>> => admit(runtimeClass, pod({ runtimeClassName, ...more }), { known });
  const { spec } = await of('r', { nodeSelector: { c: 'd' }, tolerations: [{ key: 'own', operator: 'Exists' }] });
  assert.deepEqual([spec.overhead, spec.nodeSelector], [{ cpu: '10m' }, { c: 'd', a: 'b' }]);
  assert.deepEqual(spec.tolerations?.map(({ key }) => key), ['own', 'k']);
  assert.deepEqual((await of('plain')).spec, pod({ runtimeClassName: 'plain' }).spec);
  const same = (await of('r', { nodeSelector: { a: 'b' }, overhead: { cpu: '10m' } })).spec;
  assert.deepEqual([same.overhead, same.nodeSelector], [{ cpu: '10m' }, { a: 'b' }]);
  assert.deepEqual((await of('large', { overhead: { cpu: '1000m', memory: '1073741824' } })).spec.overhead, { memory: '1Gi', cpu: '1' });
  await assert.rejects(of('large', { overhead: { memory: '1073741825', cpu: '1' } }), refused("pod rejected: Pod's Overhead doesn't match"));
  const [wide, narrow] = [{ key: 'k', operator: 'Exists' }, { key: 'k', operator: 'Exists', effect: 'NoSchedule' }];
  assert.deepEqual((await of('placed', { tolerations: [narrow, wide] })).spec.tolerations, [wide]);
  assert.deepEqual((await of('plain', { tolerations: [narrow, wide] })).spec.tolerations, [narrow, wide]);
  assert.equal((await of('placed')).spec.tolerations, undefined);
  await assert.rejects(of('none'), refused('pod rejected: RuntimeClass "none" not found'));
  for (const [name, message] of [['a/b', `invalid resource name "a/b": [may not contain '/']`], ['', 'resource name may not be empty']] as const) {
    await assert.rejects(of(name), (thrown) => thrown instanceof ApiError && thrown.message === message && thrown.code === 500);
  }
  await assert.rejects(of('r', { nodeSelector: { a: 'x' } }), refused('conflict: runtimeClass.scheduling.nodeSelector[a] = b; pod.spec.nodeSelector[a] = x'));
  await assert.rejects(of('r', { overhead: { cpu: '20m' } }), refused("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"));
  await assert.rejects(of('plain', { overhead: { cpu: '20m' } }), refused('Pod Overhead set without corresponding RuntimeClass defined Overhead'));
  await assert.rejects(of('nothing', { overhead: { cpu: '20m' } }), refused("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"));
  await assert.rejects(admit(runtimeClass, pod({ overhead: { cpu: '20m' } })), refused('Pod Overhead set without'));
});
