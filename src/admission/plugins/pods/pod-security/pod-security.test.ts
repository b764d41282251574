import assert from 'node:assert/strict';
import { test } from 'node:test';
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
];

for (const [what, object, words] of BASELINE) {
  test(`PodSecurity baseline: ${what}`, () => {
    assert.equal(judge(object, 'baseline'), words);
    assert.equal(judge(object, 'privileged'), '');
  });
}

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
  assert.match(annotations['pod-security.orch.io/error'] ?? '', /must be one of privileged, baseline, restricted/);
  // Also where nothing is held against the pod.
  const free = await admitted(podSecurity, pod({ hostPID: true }), { known: [namespace({ audit: 'bogus' })] });
  assert.match(free.annotations['pod-security.orch.io/error'] ?? '', /must be one of privileged, baseline, restricted/);
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
  }
  await admit(podSecurity, make('ReplicationController', 'w', { spec: {} }), { known });
});

test('PodSecurity: of updates only new images, profiles and containers are looked at', async () => {
  const known = [namespace({ enforce: 'baseline' })];
  const old = (more: object = {}, metadata: object = {}) => pod({ hostPID: true, containers: [{ name: 'c', image: 'a', resources: {} }], ...more }, metadata);
  const bad = refused('violates PodSecurity');
  await admit(podSecurity, old({ activeDeadlineSeconds: 5 }, { labels: { a: 'b' } }), { known, live: old() });
  await assert.rejects(admit(podSecurity, old({ containers: [{ name: 'c', image: 'b', resources: {} }] }), { known, live: old() }), bad);
  await assert.rejects(admit(podSecurity, old({}, { annotations: { 'seccomp.security.alpha.orch.io/pod': 'x' } }), { known, live: old() }), bad);
  await assert.rejects(admit(podSecurity, old({}, { annotations: { 'container.seccomp.security.alpha.orch.io/c': 'x' } }), { known, live: old() }), bad);
  const debugging = old({ ephemeralContainers: [{ name: 'd', image: 'd', resources: {} }] });
  await assert.rejects(admit(podSecurity, debugging, { known, live: old(), subresource: 'ephemeralcontainers' }), bad);
});

test('PodSecurity: users, namespaces and runtime classes can be exempt, and namespaces without labels have defaults', async () => {
  const known = [namespace()];
  const defaults = { enforce: 'baseline', 'enforce-version': 'v1.22' };
  const bad = pod({ hostPID: true, runtimeClassName: 'vm' });
  await assert.rejects(admit(podSecurity, bad, { known, config: { defaults } }), refused('violates PodSecurity "baseline:v1.22"'));
  for (const [exemptions, which] of [[{ usernames: ['u'] }, 'user'], [{ namespaces: ['n'] }, 'namespace'], [{ runtimeClasses: ['vm'] }, 'runtimeClass']] as const) {
    const { annotations } = await admitted(podSecurity, bad, { known, config: { defaults, exemptions } });
    assert.equal(annotations['pod-security.orch.io/exempt'], which);
  }
  for (const config of [1, { defaults: { enforce: 'x' } }, { defaults: { 'warn-version': '1' } }, { exemptions: { usernames: 'u' } }, { exemptions: { namespaces: ['a', 'a'] } }, { exemptions: [] }, { exemption: {} }, { defaults: { enforced: 'baseline' } }, { exemptions: { users: [] } }]) {
    await assert.rejects(admit(podSecurity, pod(), { config }), /admission plugin PodSecurity/);
  }
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
    (await admitted(podSecurity, namespace(next), { live: namespace(before), known, config: { exemptions: { runtimeClasses: ['vm'] } } })).warnings;
  assert.deepEqual(await warn({ enforce: 'baseline' }, {}), ['existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"', 'b (and 2 other pods): host namespaces']);
  assert.deepEqual(await warn({ enforce: 'baseline' }, { enforce: 'restricted' }), []);
  assert.deepEqual(await warn({ enforce: 'baseline' }, { enforce: 'baseline' }), []);
  assert.deepEqual(await warn({}, { enforce: 'baseline' }), []);
  assert.deepEqual(await warn({ enforce: 'baseline' }, {}, [withContext(hardened)]), []);
  const many = Array.from({ length: 3001 }, () => withContext(hardened));
  assert.deepEqual(await warn({ enforce: 'baseline' }, {}, many), ['new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods']);
  // One of each controller comes before the others of the same.
  const { ownerReferences } = owned('a', '1').metadata;
  const alike = Array.from({ length: 3001 }, () => ({ ...withContext(hardened), metadata: { name: 'a', ownerReferences } }) as ApiObject);
  assert.deepEqual((await warn({ enforce: 'baseline' }, {}, [...alike, owned('b', '2')])).at(-1), 'b: host namespaces');
});
