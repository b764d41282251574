import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTurns } from '#base';
import { brandOf, type ApiObject } from '#api';
import { ApiError } from '#errors';
import { admit, admitted, make, pod, refused } from '../../../test-support.ts';
import { violationsOf, inDetail } from './evaluate.ts';
import { podSecurity } from './index.ts';
import type { Level, RulesVersion } from './level.ts';

const brand = brandOf('orch');

/** A pod with a container `c`, in all its lists where `more` says so. */
const withContext = (securityContext: object, ofPod: object = {}): ApiObject =>
  pod({ containers: [{ name: 'c', resources: {}, securityContext }], ...ofPod });

const judge = (object: ApiObject, level: Level, version: RulesVersion = 'latest'): string => inDetail(violationsOf({ level, version }, object as ReturnType<typeof pod>, brand));

const hardened = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };

/** What violates the baseline, and in which words. */
const BASELINE: readonly (readonly [what: string, object: ApiObject, words: string])[] = [
  ['AppArmor', pod({}, { annotations: { 'container.apparmor.security.beta.orch.io/c': 'unconfined' } }), 'forbidden AppArmor profile (container.apparmor.security.beta.orch.io/c="unconfined")'],
  ['capabilities', withContext({ capabilities: { add: ['NET_ADMIN', 'CHOWN', 'BPF'] } }), 'non-default capabilities (container "c" must not include "BPF", "NET_ADMIN" in securityContext.capabilities.add)'],
  ['namespaces of the host', pod({ hostNetwork: true, hostPID: true, hostIPC: true }), 'host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)'],
  ['files of the host', pod({ volumes: [{ name: 'a', hostPath: { path: '/' } }, { name: 'b', hostPath: { path: '/' } }] }), 'hostPath volumes (volumes "a", "b")'],
  ['a port', pod({ containers: [{ name: 'c', resources: {}, ports: [{ containerPort: 1, hostPort: 80 }] }] }), 'hostPort (container "c" uses hostPort 80)'],
  [
    'ports',
    pod({ initContainers: [{ name: 'i', resources: {}, ports: [{ hostPort: 9 }] }], containers: [{ name: 'c', resources: {}, ports: [{ hostPort: 80 }, { hostPort: 0 }] }] }),
    'hostPort (containers "i", "c" use hostPorts 80, 9)',
  ],
  ['privileges', withContext({ privileged: true }), 'privileged (container "c" must not set securityContext.privileged=true)'],
  ['proc', withContext({ procMount: 'Unmasked' }), 'procMount (container "c" must not set securityContext.procMount to "Unmasked")'],
  [
    'SELinux',
    withContext({ seLinuxOptions: { type: 'spc_t' } }, { securityContext: { seLinuxOptions: { user: 'u', role: 'r' } } }),
    'seLinuxOptions (pod and container "c" set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set; role may not be set)',
  ],
  ['seccomp', withContext({ seccompProfile: { type: 'Unconfined' } }), 'seccompProfile (container "c" must not set securityContext.seccompProfile.type to "Unconfined")'],
  ['sysctls', pod({ securityContext: { sysctls: [{ name: 'a' }, { name: 'net.ipv4.tcp_syncookies' }, { name: 'b' }] } }), 'forbidden sysctls (a, b)'],
  [
    'processes of the host',
    withContext({ windowsOptions: { hostProcess: true } }, { securityContext: { windowsOptions: { hostProcess: true } } }),
    'hostProcess (pod and container "c" must not set securityContext.windowsOptions.hostProcess=true)',
  ],
  ['an SELinux user of the pod', pod({ securityContext: { seLinuxOptions: { user: 'u' } } }), 'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: user may not be set)'],
  ['an SELinux role of a container', withContext({ seLinuxOptions: { role: 'r' } }), 'seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: role may not be set)'],
  ['processes of the host for all of the pod', pod({ securityContext: { windowsOptions: { hostProcess: true } } }), 'hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)'],
  ['processes of the host for a container', withContext({ windowsOptions: { hostProcess: true } }), 'hostProcess (container "c" must not set securityContext.windowsOptions.hostProcess=true)'],
  [
    'seccomp of the pod',
    withContext({ seccompProfile: { type: 'RuntimeDefault' } }, { securityContext: { seccompProfile: { type: 'Unconfined' } } }),
    'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
];

for (const [what, object, words] of BASELINE) {
  test(`PodSecurity baseline: ${what}`, () => {
    assert.equal(judge(object, 'baseline'), words);
    // Profiles of seccomp were annotations before they were fields.
    assert.equal(judge(object, 'baseline', 0), what.startsWith('seccomp') ? '' : words);
    assert.equal(judge(object, 'privileged'), '');
  });
}

test('PodSecurity baseline: what a pod may have that does not manage its node', () => {
  const [apparmor, seccomp] = ['container.apparmor.security.beta.orch.io/', 'container.seccomp.security.alpha.orch.io/'];
  const capabilities = 'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT';
  const sysctls = 'kernel.shm_rmid_forced net.ipv4.ip_local_port_range net.ipv4.tcp_syncookies net.ipv4.ping_group_range net.ipv4.ip_unprivileged_port_start';
  const containers = ['container_t', 'container_init_t', 'container_kvm_t', ''].map((type, at) => ({
    name: `c${at}`,
    resources: {},
    securityContext: { capabilities: { add: capabilities.split(' ') }, seLinuxOptions: { type, level: 's0' }, seccompProfile: { type: 'Localhost' }, procMount: 'Default', privileged: false },
  }));
  const annotations = {
    [`${apparmor}c0`]: 'runtime/default', [`${apparmor}c1`]: 'localhost/x', [`${apparmor}c2`]: '',
    [`${seccomp}c0`]: 'runtime/default', [`${seccomp}c1`]: 'localhost/x', [`${seccomp}c2`]: 'docker/default', [`${seccomp}else`]: 'unconfined',
  };
  const securityContext = { sysctls: sysctls.split(' ').map((name) => ({ name })), seccompProfile: { type: 'RuntimeDefault' } };
  for (const version of [0, 19, 'latest'] as const) assert.equal(judge(pod({ containers, securityContext }, { annotations }), 'baseline', version), '');
});

test('PodSecurity: every container counts, whatever it is for', () => {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers']) {
    const object = pod({ containers: [], [list]: [{ name: 'x', resources: {}, securityContext: { ...hardened, privileged: true, allowPrivilegeEscalation: true } }] });
    const words = 'privileged (container "x" must not set securityContext.privileged=true)';
    assert.equal(judge(object, 'baseline'), words, list);
    assert.equal(judge(object, 'restricted'), `${words}, allowPrivilegeEscalation != false (container "x" must set securityContext.allowPrivilegeEscalation=false)`, list);
  }
});

/** What violates the restricted level alone. */
const RESTRICTED: readonly (readonly [what: string, object: ApiObject, words: string])[] = [
  ['nothing', withContext(hardened), ''],
  ['escalation', withContext({ ...hardened, allowPrivilegeEscalation: true }), 'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false)'],
  [
    'capabilities',
    withContext({ ...hardened, capabilities: { add: ['CHOWN', 'NET_BIND_SERVICE'] } }),
    'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]; container "c" must not include "CHOWN" in securityContext.capabilities.add)',
  ],
  [
    'volumes',
    withContext(hardened, { volumes: [{ name: 'a', hostPath: {} }, { name: 'b', nfs: {} }, { name: 'c', emptyDir: {} }] }),
    'hostPath volumes (volume "a"), restricted volume types (volumes "a", "b" use restricted volume types "hostPath", "nfs")',
  ],
  ['one volume', withContext(hardened, { volumes: [{ name: 'a', nfs: {} }] }), 'restricted volume types (volume "a" uses restricted volume type "nfs")'],
  ['root not denied', withContext({ ...hardened, runAsNonRoot: undefined }), 'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)'],
  ['root wanted', withContext({ ...hardened, runAsNonRoot: false }, { securityContext: { runAsNonRoot: true } }), 'runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false)'],
  ['root wanted for all of the pod', withContext(hardened, { securityContext: { runAsNonRoot: false } }), 'runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false)'],
  ['root denied for all of the pod', withContext({ ...hardened, runAsNonRoot: undefined }, { securityContext: { runAsNonRoot: true } }), ''],
  ['the user 0 for all of the pod', withContext(hardened, { securityContext: { runAsUser: 0 } }), 'runAsUser=0 (pod must not set runAsUser=0)'],
  ['another user', withContext({ ...hardened, runAsUser: 1 }, { securityContext: { runAsUser: 1000n } }), ''],
  [
    'volumes that show nothing of the node',
    withContext(hardened, {
      volumes: ['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'persistentVolumeClaim', 'projected', 'secret'].map((kind) => ({ name: kind.toLowerCase(), [kind]: {} })),
    }),
    '',
  ],
  ['the user 0', withContext({ ...hardened, runAsUser: 0 }, { securityContext: { runAsUser: 0n } }), 'runAsUser=0 (pod and container "c" must not set runAsUser=0)'],
  [
    'no seccomp',
    withContext({ ...hardened, seccompProfile: undefined }),
    'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  ],
  ['seccomp of the pod', withContext({ ...hardened, seccompProfile: undefined }, { securityContext: { seccompProfile: { type: 'Localhost' } } }), ''],
];

for (const [what, object, words] of RESTRICTED) {
  test(`PodSecurity restricted: ${what}`, () => assert.equal(judge(object, 'restricted'), words));
}

test('PodSecurity: rules come with versions, and newer ones than are known count as the newest', () => {
  const plain = pod();
  const rules = (version: RulesVersion): string => violationsOf({ level: 'restricted', version }, plain, brand).map(({ reason }) => reason).join(', ');
  assert.equal(rules(0), 'runAsNonRoot != true');
  assert.equal(rules(8), 'allowPrivilegeEscalation != false, runAsNonRoot != true');
  assert.equal(rules(19), 'allowPrivilegeEscalation != false, runAsNonRoot != true, seccompProfile');
  assert.equal(rules(22), 'allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile');
  assert.equal(rules(99), rules('latest'));
  const root = withContext({ ...hardened, runAsUser: 0 });
  assert.deepEqual([judge(root, 'restricted', 22), judge(root, 'restricted', 23) !== ''], ['', true]);
  const annotated = pod({}, { annotations: { 'seccomp.security.alpha.orch.io/pod': 'unconfined' } });
  assert.equal(judge(annotated, 'baseline', 18), 'seccompProfile (forbidden annotation seccomp.security.alpha.orch.io/pod="unconfined")');
  assert.equal(judge(annotated, 'baseline', 19), '');
  const ofContainer = pod({}, { annotations: { 'container.seccomp.security.alpha.orch.io/c': 'unconfined' } });
  assert.equal(judge(ofContainer, 'baseline', 18), 'seccompProfile (forbidden annotation container.seccomp.security.alpha.orch.io/c="unconfined")');
  const adding = withContext({ ...hardened, capabilities: { drop: ['ALL'], add: ['NET_ADMIN'] } });
  assert.match(judge(adding, 'restricted', 21), /^non-default capabilities \([^)]*\)$/);
  assert.match(judge(adding, 'restricted', 22), /^non-default capabilities \([^)]*\), unrestricted capabilities \([^)]*\)$/);
});

const namespace = (labels: Readonly<Record<string, string>> = {}): ApiObject =>
  make('Namespace', 'n', {}, { labels: Object.fromEntries(Object.entries(labels).map(([mode, level]) => [`pod-security.orch.io/${mode}`, level])) });

test('PodSecurity: pods are refused, noted and warned of by the labels of their namespace', async () => {
  const known = [namespace({ enforce: 'baseline', 'enforce-version': 'v1.20', audit: 'restricted', warn: 'restricted' })];
  await assert.rejects(admit(podSecurity, pod({ hostPID: true }), { known }), refused('pods "p" is forbidden: violates PodSecurity "baseline:v1.20": host namespaces (hostPID=true)'));
  const { warnings, annotations } = await admitted(podSecurity, pod(), { known });
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /^would violate PodSecurity "restricted:latest": allowPrivilegeEscalation != false \(/);
  assert.equal(annotations['pod-security.orch.io/audit-violations'], warnings[0]);
  assert.equal(annotations['pod-security.orch.io/enforce-policy'], 'baseline:v1.20');
  const noted = (object: ApiObject): Promise<{ readonly warnings: readonly string[]; readonly annotations: object }> => admitted(podSecurity, object, { known: [namespace({ audit: 'baseline' })] });
  const alone = await noted(pod({ hostPID: true }));
  assert.deepEqual([alone.warnings, alone.annotations], [[], { 'pod-security.orch.io/enforce-policy': 'privileged:latest', 'pod-security.orch.io/audit-violations': 'would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)' }]);
  assert.deepEqual((await noted(pod())).annotations, { 'pod-security.orch.io/enforce-policy': 'privileged:latest' });
  const free = await admitted(podSecurity, pod({ hostPID: true }), { known: [namespace({ 'enforce-version': 'v1.20' })] });
  assert.deepEqual([free.warnings, free.annotations], [[], { 'pod-security.orch.io/enforce-policy': 'privileged:latest' }]);
  const template = { template: { metadata: {}, spec: pod().spec } };
  assert.deepEqual((await admitted(podSecurity, make('PodTemplate', 'w', template), { known: [namespace()] })).annotations, {});
});

test('PodSecurity: a level that nobody understands is taken for the strictest, a warning for none', async () => {
  const known = [namespace({ enforce: 'bogus', warn: 'bogus' })];
  await assert.rejects(admit(podSecurity, pod(), { known }), refused('violates PodSecurity "restricted:latest"'));
  const { warnings, annotations } = await admitted(podSecurity, withContext(hardened), { known });
  assert.deepEqual(warnings, []);
  const wrong = (mode: string): string => `metadata.labels[pod-security.orch.io/${mode}]: Invalid value: "bogus": must be one of privileged, baseline, restricted`;
  assert.equal(annotations['pod-security.orch.io/error'], `Failed to parse policy: [${wrong('enforce')}, ${wrong('warn')}]`);
  // Also where nothing is held against the pod.
  const free = await admitted(podSecurity, pod({ hostPID: true }), { known: [namespace({ audit: 'bogus' })] });
  assert.equal(free.annotations['pod-security.orch.io/error'], `Failed to parse policy: ${wrong('audit')}`);
  assert.equal(free.annotations['pod-security.orch.io/enforce-policy'], 'privileged:latest');
});

test('PodSecurity: what pods are made from is only warned of', async () => {
  const known = [namespace({ enforce: 'baseline', warn: 'baseline' })];
  const template = { metadata: {}, spec: pod({ hostPID: true }).spec };
  const rows: readonly (readonly [kind: string, body: object])[] = [
    ['PodTemplate', { template }],
    ['CronJob', { spec: { jobTemplate: { spec: { template } } } }],
    ...['ReplicationController', 'DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet', 'Job'].map((kind) => [kind, { spec: { template } }] as const),
  ];
  for (const [kind, body] of rows) {
    const { warnings } = await admitted(podSecurity, make(kind, 'w', body), { known });
    assert.deepEqual(warnings, ['would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)'], kind);
    assert.deepEqual((await admitted(podSecurity, make(kind, 'w', body), { known, live: make(kind, 'w', body) })).warnings, warnings, kind);
  }
  await admit(podSecurity, make('ReplicationController', 'w', { spec: {} }), { known });
});

test('PodSecurity: of updates only new images, profiles and containers are looked at', async () => {
  const known = [namespace({ enforce: 'baseline' })];
  const old = (more: object = {}, metadata: object = {}) => pod({ hostPID: true, containers: [{ name: 'c', image: 'a', resources: {} }], ...more }, metadata);
  const bad = refused('violates PodSecurity');
  await admit(podSecurity, old({ activeDeadlineSeconds: 5 }, { labels: { a: 'b' } }), { known, live: old() });
  await assert.rejects(admit(podSecurity, old({ containers: [{ name: 'c', image: 'b', resources: {} }] }), { known, live: old() }), bad);
  const starting = (image: string): ApiObject => old({ initContainers: [{ name: 'i', image, resources: {} }] });
  await assert.rejects(admit(podSecurity, starting('b'), { known, live: starting('a') }), bad);
  await assert.rejects(admit(podSecurity, old({}, { annotations: { 'seccomp.security.alpha.orch.io/pod': 'x' } }), { known, live: old() }), bad);
  await assert.rejects(admit(podSecurity, old({}, { annotations: { 'container.seccomp.security.alpha.orch.io/c': 'x' } }), { known, live: old() }), bad);
  const debugging = old({ ephemeralContainers: [{ name: 'd', image: 'd', resources: {} }] });
  await assert.rejects(admit(podSecurity, debugging, { known, live: old(), subresource: 'ephemeralcontainers' }), bad);
});

const OF_V1BETA1 = { apiVersion: 'pod-security.admission.config.orch.io/v1beta1', kind: 'PodSecurityConfiguration' };

test('PodSecurity: users, namespaces and runtime classes can be exempt, and namespaces without labels have defaults', async () => {
  const known = [make('Namespace', 'n')];
  const defaults = { enforce: 'baseline', 'enforce-version': 'v1.22' };
  const bad = pod({ hostPID: true, runtimeClassName: 'vm' });
  await assert.rejects(admit(podSecurity, bad, { known, config: { ...OF_V1BETA1, defaults } }), refused('violates PodSecurity "baseline:v1.22"'));
  for (const [exemptions, which] of [[{ usernames: ['u'] }, 'user'], [{ namespaces: ['n'] }, 'namespace'], [{ runtimeClasses: ['vm'] }, 'runtimeClass']] as const) {
    const { annotations } = await admitted(podSecurity, bad, { known, config: { ...OF_V1BETA1, defaults, exemptions } });
    assert.equal(annotations['pod-security.orch.io/exempt'], which);
  }
  for (const config of [{ defaults: { enforce: 'x' } }, { defaults: { 'warn-version': '1' } }, { exemptions: { usernames: 'u' } }, { exemptions: { namespaces: ['a', 'a'] } }, { exemptions: { runtimeClasses: [''] } }, { exemptions: { usernames: [1] } }, { exemptions: { namespaces: ['a.b'] } }, { exemptions: { runtimeClasses: ['VM'] } }, { exemptions: [] }, { exemption: {} }, { defaults: { enforced: 'baseline' } }, { exemptions: { users: [] } }]) {
    await assert.rejects(admit(podSecurity, pod(), { config: { ...OF_V1BETA1, ...config } }), /admission plugin PodSecurity: (?:defaults|exemptions|configuration)/);
  }
  const unsaid = { ...OF_V1BETA1, defaults: { enforce: '', 'enforce-version': '', audit: null }, exemptions: { usernames: null, namespaces: ['kube-system'], runtimeClasses: ['vm.example.com'] } };
  for (const config of [null, OF_V1BETA1, unsaid]) await admit(podSecurity, bad, { known, config });
  for (const version of ['orch.io/v1alpha1', 'k8s.io/v1beta1', 'k8s.io/v1alpha1']) {
    const config = { ...OF_V1BETA1, apiVersion: `pod-security.admission.config.${version}`, defaults };
    await assert.rejects(admit(podSecurity, bad, { known, config }), refused('violates PodSecurity "baseline:v1.22"'));
  }
  for (const other of [{ apiVersion: 'v1' }, { apiVersion: 'pod-security.admission.config.orch.io/v2' }, { apiVersion: undefined }, { kind: 'Pod' }, { kind: undefined }]) {
    await assert.rejects(admit(podSecurity, bad, { known, config: { ...OF_V1BETA1, ...other, defaults } }), /PodSecurity: must be a PodSecurityConfiguration of pod-security\.admission\.config\.orch\.io\/v1beta1 or /);
  }
  await assert.rejects(admit(podSecurity, bad, { known, config: 1 }), /PodSecurity: must be a PodSecurityConfiguration/);
});

test('PodSecurity: a namespace with labels that mean nothing is invalid, unless they were there before', async () => {
  const bogus = namespace({ enforce: 'bogus', 'warn-version': 'v9.9' });
  const invalid = (thrown: unknown): boolean =>
    thrown instanceof ApiError &&
    thrown.reason === 'Invalid' &&
    JSON.stringify(thrown.details?.causes?.map(({ field, message }) => [field, message])) ===
      JSON.stringify([
        ['metadata.labels[pod-security.orch.io/enforce]', 'Invalid value: "bogus": must be one of privileged, baseline, restricted'],
        ['metadata.labels[pod-security.orch.io/warn-version]', 'Invalid value: "v9.9": must be "latest" or "v1.x"'],
      ]);
  await assert.rejects(admit(podSecurity, bogus), invalid);
  await assert.rejects(admit(podSecurity, bogus, { live: namespace() }), invalid);
  await admit(podSecurity, bogus, { live: bogus });
});

test('PodSecurity: a namespace that asks more is told of the pods that do not give it', async () => {
  const owned = (name: string, uid: string): ApiObject => ({ ...pod({ hostPID: true }), metadata: { name, ownerReferences: [{ apiVersion: 'v1', kind: 'R', name: 'r', uid, controller: true }] } });
  const pods = [owned('b', '1'), owned('a', '1'), owned('c', '2'), { ...pod({ hostIPC: true, hostPID: true, runtimeClassName: 'vm' }), metadata: { name: 'x' } }, withContext(hardened)];
  const warn = async (next: Readonly<Record<string, string>>, before: Readonly<Record<string, string>>, known = pods) =>
    (await admitted(podSecurity, namespace(next), { live: namespace(before), known, config: { ...OF_V1BETA1, exemptions: { runtimeClasses: ['vm'] } } })).warnings;
  assert.deepEqual(await warn({ enforce: 'baseline' }, {}), ['existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"', 'a (and 2 other pods): host namespaces']);
  assert.deepEqual(await warn({ enforce: 'baseline' }, { enforce: 'restricted' }), []);
  assert.deepEqual(await warn({ enforce: 'baseline' }, { enforce: 'baseline' }), []);
  assert.deepEqual(await warn({}, { enforce: 'baseline' }), []);
  assert.deepEqual(await warn({ enforce: 'baseline' }, {}, [withContext(hardened)]), []);
  // Rules of another version may forbid more, be the level the same or lower.
  for (const before of ['baseline', 'restricted']) {
    const unconfined = [withContext({ seccompProfile: { type: 'Unconfined' } })];
    assert.equal((await warn({ enforce: 'baseline', 'enforce-version': 'v1.19' }, { enforce: before, 'enforce-version': 'v1.18' }, unconfined)).at(-1), 'p: seccompProfile');
  }
  const unlabelled = await admitted(podSecurity, namespace({ enforce: 'baseline' }), { live: namespace(), known: pods, config: { ...OF_V1BETA1, exemptions: { namespaces: ['n'] } } });
  assert.deepEqual([unlabelled.warnings, unlabelled.annotations], [[], { 'pod-security.orch.io/exempt': 'namespace' }]);
  assert.deepEqual((await admitted(podSecurity, namespace({ enforce: 'baseline' }), { known: pods })).warnings, []);
  const many = Array.from({ length: 3001 }, () => withContext(hardened));
  assert.deepEqual(await warn({ enforce: 'baseline' }, {}, many), ['new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods']);
  assert.deepEqual(await warn({ enforce: 'baseline' }, {}, [...many.slice(1), ...pods.slice(3, 4)]), []);
  assert.deepEqual(await warn({ 'enforce-version': 'v1.20' }, { enforce: 'baseline' }, many), []);
  // One of each controller comes before the others of the same.
  const { ownerReferences } = owned('a', '1').metadata;
  const alike = Array.from({ length: 3001 }, () => ({ ...withContext(hardened), metadata: { name: 'a', ownerReferences } }) as ApiObject);
  assert.deepEqual((await warn({ enforce: 'baseline' }, {}, [...alike, owned('b', '2')])).at(-1), 'b: host namespaces');
  const [one, two] = [owned('a', '1'), owned('b', '1')];
  assert.deepEqual((await warn({ enforce: 'baseline' }, {}, [one, two])).at(-1), 'a (and 1 other pod): host namespaces');
});

test('PodSecurity: a namespace may ask more although its pods cannot be read, and is told so', async () => {
  const unreadable: typeof podSecurity = {
    ...podSecurity,
    create: (env) => podSecurity.create({ ...env, objects: { ...env.objects, list: () => Promise.reject(new Error('the entry cannot be read')) } }),
  };
  const { warnings } = await admitted(unreadable, namespace({ enforce: 'baseline' }), { live: namespace() });
  assert.deepEqual(warnings, ['failed to list pods while checking new PodSecurity enforce level']);
});

test('PodSecurity: looking through the many pods of a namespace leaves turns of the event loop to others', async () => {
  const containers = Array.from({ length: 20 }, (_, at) => ({ name: `c${at}`, ports: [{ hostPort: 80 }], securityContext: { privileged: true } }));
  const known = Array.from({ length: 3000 }, (_, at) => pod({ containers }, { name: `p${at}` }));
  const turns = await countTurns(async () => {
    const { warnings } = await admitted(podSecurity, namespace({ enforce: 'restricted' }), { live: namespace(), known });
    assert.match(warnings.at(-1) ?? '', /^p0 \(and \d+ other pods\): hostPort, privileged, /);
  });
  assert.ok(turns >= 4, `${turns} turns`);
});

test('PodSecurity: looking for pods that do not give what their namespace asks ends after a second, with one that was looked at', async () => {
  const known = ['a', 'b', 'c', 'd'].map((name) => pod({ hostPID: true }, { name }));
  const setting = { live: namespace(), known };
  for (const [stepMs, checked] of [[500, 3], [2000, 1], [0, 4]] as const) {
    let nowMs = 0;
    const clock = { nowMs: () => (nowMs += stepMs), after: () => () => {} };
    const slow: typeof podSecurity = { ...podSecurity, create: (env) => podSecurity.create({ ...env, clock }) };
    const { warnings } = await admitted(slow, namespace({ enforce: 'baseline' }), setting);
    const told = checked < 4 ? [`new PodSecurity enforce level only checked against the first ${checked} of 4 existing pods`] : [];
    assert.deepEqual(warnings.slice(0, -2), told);
    assert.match(warnings.at(-1) ?? '', new RegExp(checked === 1 ? '^a: host' : `^a \\(and ${checked - 1} other pods?\\): host`));
  }
});
