import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTurns } from '#base';
import type { ApiObject } from '#api';
import { admit, admitted, make, pod, refused, type Setting } from '../../../test-support.ts';
import { podSecurityPolicy } from './index.ts';

const ANY = { rule: 'RunAsAny' };
const policy = (name: string, spec: object = {}, annotations: object = {}): ApiObject =>
  make('PodSecurityPolicy', name, { spec: { seLinux: ANY, runAsUser: ANY, supplementalGroups: ANY, fsGroup: ANY, volumes: ['*'], allowPrivilegeEscalation: true, ...spec } }, { annotations });
const inRange = (rule: string, min: number, max: number): object => ({ rule, ranges: [{ min, max }] });
const container = (securityContext?: object, more: object = {}): object => ({ name: 'c', resources: {}, ...(securityContext === undefined ? {} : { securityContext }), ...more });
const running = (securityContext: object, more: object = {}): ReturnType<typeof pod> => pod({ containers: [container(securityContext, more)] });
const withVolume = (volume: object, mount?: object): ReturnType<typeof pod> => pod({ volumes: [{ name: 'v', ...volume }], containers: [container(undefined, mount === undefined ? {} : { volumeMounts: [{ name: 'v', ...mount }] })] });
const SECCOMP = 'seccomp.security.alpha.orch.io/';
const asked = (object: ApiObject, known: readonly ApiObject[], setting: Setting = {}): Promise<ReturnType<typeof pod>> => admit(podSecurityPolicy, object, { known, ...setting }) as Promise<ReturnType<typeof pod>>;

test('PodSecurityPolicy: without a policy no pod is allowed, and one that lacks what its rules need is none', async () => {
  const lacking = ['runAsUser', 'runAsGroup', 'fsGroup', 'supplementalGroups'].flatMap((member) => ['MustRunAs', 'MayRunAs'].map((rule) => [policy('p', { [member]: { rule } })]));
  for (const known of [[], ...lacking, [policy('p', { seLinux: { rule: 'MustRunAs' } })]]) {
    await assert.rejects(asked(pod(), known), refused('PodSecurityPolicy: no providers available to validate pod request'));
  }
});

test('PodSecurityPolicy: the first policy by name that changes nothing is taken, else the first; the pod and the audit event name it', async () => {
  const filling = policy('a', { fsGroup: inRange('MustRunAs', 5, 6) });
  const { annotations } = await admitted(podSecurityPolicy, pod(), { known: [policy('c'), filling, policy('b')] });
  assert.deepEqual(annotations, { 'podsecuritypolicy.policy.orch.io/admit-policy': 'b', 'podsecuritypolicy.policy.orch.io/validate-policy': 'b' });
  const last = await admitted(podSecurityPolicy, pod(), { known: [filling, policy('z', { fsGroup: inRange('MustRunAs', 7, 7) })] });
  assert.deepEqual(last.annotations['podsecuritypolicy.policy.orch.io/admit-policy'], 'a');
});

test('PodSecurityPolicy: a policy counts for those who may use it, in either group, and for the service account of the pod', async () => {
  const may = (of: object): NonNullable<Setting['may']> => (what) => Object.entries(of).every(([member, value]) => JSON.stringify(Reflect.get(what, member)) === JSON.stringify(value));
  const account = { name: 'system:serviceaccount:n:s', groups: ['system:serviceaccounts', 'system:serviceaccounts:n'] };
  const question = { verb: 'use', resource: 'podsecuritypolicies', name: 'p', namespace: 'n' };
  const known = [policy('p')];
  for (const group of ['policy', 'extensions']) {
    await asked(pod(), known, { may: may({ ...question, group }) });
    await asked(pod({ serviceAccountName: 's' }), known, { may: may({ ...question, group, user: account }) });
    await asked(pod({ serviceAccountName: 's' }), known, { may: may({ ...question, group, user: { name: 'u', groups: [] } }) });
    await assert.rejects(asked(pod({ serviceAccountName: 't' }), known, { may: may({ ...question, group, user: account }) }), refused('PodSecurityPolicy: unable to admit pod: []'));
    await assert.rejects(asked(pod(), known, { may: may({ ...question, group, user: account }) }), refused('PodSecurityPolicy: unable to admit pod: []'));
  }
  await assert.rejects(asked(pod({ hostPID: true }), known, { may: () => false }), refused('unable to admit pod: []'));
});

test('PodSecurityPolicy: what a pod does not say is filled in', async () => {
  const labels = { level: 's0:c1,c2' };
  const strict = policy('p', {
    runAsUser: inRange('MustRunAs', 10, 20), runAsGroup: inRange('MustRunAs', 30, 40), supplementalGroups: inRange('MustRunAs', 50, 60), fsGroup: inRange('MustRunAs', 70, 80),
    seLinux: { rule: 'MustRunAs', seLinuxOptions: labels }, readOnlyRootFilesystem: true, allowPrivilegeEscalation: false,
    defaultAddCapabilities: ['CHOWN', 'KILL'], requiredDropCapabilities: ['ALL'], runtimeClass: { allowedRuntimeClassNames: ['r'], defaultRuntimeClassName: 'r' },
  }, {
    'seccomp.security.alpha.orch.io/defaultProfileName': 'runtime/default', 'seccomp.security.alpha.orch.io/allowedProfileNames': 'docker/default',
    'apparmor.security.beta.orch.io/defaultProfileName': 'localhost/x', 'apparmor.security.beta.orch.io/allowedProfileNames': 'localhost/x',
  });
  const changed = { ...podSecurityPolicy, create: (env: Parameters<typeof podSecurityPolicy.create>[0]) => ({ ...podSecurityPolicy.create(env), validate: (request: { readonly object: ApiObject | undefined }) => void seen.push(request.object as ReturnType<typeof pod>) }) };
  const seen: ReturnType<typeof pod>[] = [];
  await admit(changed, running({ capabilities: { drop: ['KILL'] }, runAsUser: 15 }), { known: [strict] });
  assert.deepEqual(seen[0]?.spec.securityContext, { supplementalGroups: [50], fsGroup: 70, seLinuxOptions: labels });
  assert.equal(seen[0]?.spec.runtimeClassName, 'r');
  assert.deepEqual(seen[0]?.spec.containers?.[0]?.securityContext, { capabilities: { add: ['CHOWN'], drop: ['ALL', 'KILL'] }, runAsUser: 15, runAsGroup: 30, readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
  assert.deepEqual(seen[0]?.metadata.annotations, {
    'seccomp.security.alpha.orch.io/pod': 'runtime/default', 'container.apparmor.security.beta.orch.io/c': 'localhost/x', 'orch.io/psp': 'p',
  });
  await admit(changed, pod({ securityContext: { runAsUser: 5 } }), { known: [policy('p', { runAsUser: { rule: 'MustRunAsNonRoot' } })] });
  await admit(changed, pod(), { known: [policy('p', { runAsUser: { rule: 'MustRunAsNonRoot' }, defaultAllowPrivilegeEscalation: true })] });
  assert.deepEqual(seen.slice(1).map(({ spec }) => spec.containers?.[0]?.securityContext), [undefined, { runAsNonRoot: true, allowPrivilegeEscalation: true }]);
  const contextsOf = async (object: ApiObject, spec: object): Promise<readonly unknown[]> => {
    await admit(changed, object, { known: [policy('p', spec)] });
    const last = seen.at(-1)?.spec;
    return [last?.securityContext, last?.containers?.[0]?.securityContext];
  };
  assert.deepEqual(await contextsOf(pod(), { runAsUser: inRange('MustRunAs', 10, 20) }), [undefined, { runAsUser: 10 }]);
  assert.deepEqual(await contextsOf(pod(), { requiredDropCapabilities: ['ALL'] }), [undefined, { capabilities: { drop: ['ALL'] } }]);
  assert.deepEqual(await contextsOf(pod(), { defaultAddCapabilities: ['KILL'] }), [undefined, { capabilities: { add: ['KILL'] } }]);
  const any = { rule: 'RunAsAny', seLinuxOptions: labels, ranges: [{ min: 1, max: 2 }] };
  assert.deepEqual(await contextsOf(pod(), { seLinux: any, fsGroup: any, supplementalGroups: any, runAsUser: any, runAsGroup: any }), [undefined, undefined]);
});

test('PodSecurityPolicy: what a pod says itself stays where a policy allows it', async () => {
  const own = { 'seccomp.security.alpha.orch.io/pod': 'localhost/own', 'container.apparmor.security.beta.orch.io/c': 'localhost/own' };
  const annotations = { [`${SECCOMP}defaultProfileName`]: 'runtime/default', [`${SECCOMP}allowedProfileNames`]: '*', 'apparmor.security.beta.orch.io/defaultProfileName': 'localhost/x' };
  const ranges = { supplementalGroups: inRange('MustRunAs', 5, 9), fsGroup: inRange('MustRunAs', 5, 9) };
  // Tried for an update, when no policy may change a pod: this one need not.
  const object = pod({ securityContext: { supplementalGroups: [9], fsGroup: 9 } }, { annotations: own });
  await asked(object, [policy('p', ranges, annotations)], { live: pod() });
  await assert.rejects(asked(pod({}, { annotations: own }), [policy('p', ranges, annotations)], { live: pod() }), refused('unable to validate pod: []'));
});

/** Policies, pods and what they do not allow of these; undefined: they allow it. */
const ROWS: readonly (readonly [spec: object, object: ApiObject, words: string | undefined, annotations?: object])[] = [
  [{}, pod({ hostNetwork: true }), 'spec.securityContext.hostNetwork: Invalid value: true: Host network is not allowed to be used'],
  [{}, pod({ hostIPC: true }), 'spec.securityContext.hostIPC: Invalid value: true: Host IPC is not allowed to be used'],
  [{}, pod({ hostPID: true }), 'spec.securityContext.hostPID: Invalid value: true: Host PID is not allowed to be used'],
  [{ hostPID: true, hostIPC: true, hostNetwork: true }, pod({ hostPID: true, hostIPC: true, hostNetwork: true }), undefined],
  [{ privileged: true }, running({ privileged: true }), undefined],
  [{}, pod({ ephemeralContainers: [container({ privileged: true })] }), 'spec.ephemeralContainers[0].securityContext.privileged: Invalid value: true'],
  [{}, running({ privileged: true }), 'spec.containers[0].securityContext.privileged: Invalid value: true: Privileged containers are not allowed'],
  [{}, pod({ initContainers: [container({ privileged: true })] }), 'spec.initContainers[0].securityContext.privileged: Invalid value: true'],
  [{ allowPrivilegeEscalation: false }, running({ allowPrivilegeEscalation: true }), 'securityContext.allowPrivilegeEscalation: Invalid value: true: Allowing privilege escalation for containers is not allowed'],
  [{ runAsUser: inRange('MustRunAs', 1, 2) }, running({ runAsUser: 3 }), 'securityContext.runAsUser: Invalid value: 3: must be in the ranges: [{1 2}]'],
  [{ runAsUser: { rule: 'MustRunAsNonRoot' } }, running({ runAsUser: 0 }), 'securityContext.runAsUser: Invalid value: 0: running with the root UID is forbidden'],
  [{ runAsUser: { rule: 'MustRunAsNonRoot' } }, running({ runAsNonRoot: false }), 'securityContext.runAsNonRoot: Invalid value: false: must be true'],
  [{ runAsGroup: inRange('MayRunAs', 1, 2) }, running({ runAsGroup: 3 }), 'spec.containers[0].securityContext: Invalid value: []int64{3}: group 3 must be in the ranges: [{1 2}]'],
  [{ fsGroup: inRange('MayRunAs', 1, 2) }, pod({ securityContext: { fsGroup: 3 } }), 'spec.securityContext.fsGroup: Invalid value: []int64{3}: group 3 must be in the ranges'],
  [{ supplementalGroups: inRange('MayRunAs', 1, 2) }, pod({ securityContext: { supplementalGroups: [1, 3] } }), 'supplementalGroups: Invalid value: []int64{1, 3}: group 3 must be in the ranges'],
  [{ seLinux: { rule: 'MustRunAs', seLinuxOptions: { level: 's0:a,b' } } }, running({ seLinuxOptions: { level: 's0:b,a' } }), undefined],
  [{ seLinux: { rule: 'MustRunAs', seLinuxOptions: { level: 's0:a,b' } } }, running({ seLinuxOptions: { level: 's1:a,b', user: 'u' } }), 'seLinuxOptions.level: Invalid value: "s1:a,b": must be s0:a,b spec.containers[0].securityContext.seLinuxOptions.user: Invalid value: "u": must be '],
  [{}, running({ procMount: 'Unmasked' }), 'securityContext.procMount: Invalid value: "Unmasked": ProcMountType is not allowed'],
  [{ allowedProcMountTypes: ['Unmasked'] }, running({ procMount: 'Unmasked' }), undefined],
  [{ allowedProcMountTypes: ['Unmasked'] }, pod(), 'securityContext.procMount: Invalid value: "Default": ProcMountType is not allowed'],
  [{ allowedCapabilities: ['KILL'] }, running({ capabilities: { add: ['KILL'] } }), undefined],
  [{ allowedCapabilities: ['KILL'] }, running({ capabilities: { add: ['KILL', 'CHOWN'] } }), 'capabilities.add: Invalid value: "CHOWN": capability may not be added'],
  [{}, running({ capabilities: { add: ['KILL'] } }), 'capabilities.add: Invalid value: "KILL": capability may not be added'],
  [{ allowedCapabilities: ['*'] }, running({ capabilities: { add: ['KILL'] } }), undefined],
  [{ readOnlyRootFilesystem: true }, running({ readOnlyRootFilesystem: false }), 'readOnlyRootFilesystem: Invalid value: false: ReadOnlyRootFilesystem must be set to true'],
  [{ hostPorts: [{ min: 1, max: 2 }, { min: 5, max: 5 }] }, running({}, { ports: [{ hostPort: 3 }] }), 'spec.containers[0].hostPort: Invalid value: 3: Host port 3 is not allowed to be used. Allowed ports: [1-2,5]'],
  [{ hostPorts: [{ min: 1, max: 2 }] }, running({}, { ports: [{ hostPort: 1 }, { hostPort: 2 }, { containerPort: 9 }, { containerPort: 9, hostPort: 0 }] }), undefined],
  [{}, running({}, { ports: [{ hostPort: 1 }] }), 'Host port 1 is not allowed to be used. Allowed ports: []'],
  [
    {},
    pod({ securityContext: { sysctls: ['kernel.shm_rmid_forced', 'net.ipv4.ip_local_port_range', 'net.ipv4.tcp_syncookies', 'net.ipv4.ping_group_range', 'net.ipv4.ip_unprivileged_port_start'].map((name) => ({ name })) } }),
    undefined,
  ],
  [{ allowedUnsafeSysctls: ['a.*', 'b.c'] }, pod({ securityContext: { sysctls: [{ name: 'a.b' }, { name: 'b.c' }] } }), undefined],
  [{ allowedUnsafeSysctls: ['b.c'] }, pod({ securityContext: { sysctls: [{ name: 'b.cd' }] } }), 'unsafe sysctl "b.cd" is not allowed'],
  [{ allowedUnsafeSysctls: ['b.*'] }, pod({ securityContext: { sysctls: [{ name: 'bc' }] } }), 'unsafe sysctl "bc" is not allowed'],
  [{ forbiddenSysctls: ['kernel.*'] }, pod({ securityContext: { sysctls: [{ name: 'kernel.shm_rmid_forced' }] } }), 'sysctl "kernel.shm_rmid_forced" is not allowed'],
  [{}, pod({ securityContext: { sysctls: [{ name: 'kernel.shm_rmid_forced' }, { name: 'a.b' }] } }), 'pod.spec.securityContext.sysctls[1]: Forbidden: unsafe sysctl "a.b" is not allowed'],
  [{ allowedUnsafeSysctls: ['a.*'], forbiddenSysctls: ['a.c'] }, pod({ securityContext: { sysctls: [{ name: 'a.b' }, { name: 'a.c' }] } }), 'sysctls[1]: Forbidden: sysctl "a.c" is not allowed'],
  [{ volumes: ['secret'] }, withVolume({ emptyDir: {} }), 'spec.volumes[0]: Invalid value: "emptyDir": emptyDir volumes are not allowed to be used'],
  [{ volumes: ['cephFS'] }, withVolume({ cephfs: {} }), undefined],
  [{ volumes: ['secret'] }, withVolume({ projected: { sources: [{ serviceAccountToken: { path: 'token' } }, { configMap: { name: 'orch-root.crt' } }] } }), undefined],
  [{ volumes: ['secret'] }, withVolume({ projected: { sources: [{ configMap: { name: 'other' } }] } }), 'projected volumes are not allowed to be used'],
  ...[
    [{ secret: { name: 's' } }, false],
    [{ serviceAccountToken: { path: 'token', audience: 'vault' } }, false],
    [{ serviceAccountToken: { path: 'other' } }, false],
    [{ downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } }, true],
    [{ downwardAPI: { items: [{ path: 'labels', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } }, false],
    [{ downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.labels' } }] } }, false],
    [{ downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v2', fieldPath: 'metadata.namespace' } }] } }, false],
    [{ downwardAPI: { items: [{ path: 'namespace', resourceFieldRef: { resource: 'limits.cpu' } }] } }, false],
  ].map(([source, isAllowed]) => [{ volumes: ['secret'] }, withVolume({ projected: { sources: [source] } }), isAllowed === true ? undefined : 'projected volumes are not allowed to be used'] as const),
  [{ volumes: ['configMap'] }, withVolume({ projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } }), 'projected volumes are not allowed to be used'],
  [{}, withVolume({ hostPath: { path: '/a' } }, {}), undefined],
  [{ allowedHostPaths: [{ pathPrefix: '/a/' }] }, withVolume({ hostPath: { path: '/a' } }, {}), undefined],
  [{ allowedHostPaths: [{ pathPrefix: '/a' }] }, withVolume({ hostPath: { path: '/a/' } }, {}), undefined],
  [{ allowedHostPaths: [{ pathPrefix: '/a', readOnly: true }] }, withVolume({ hostPath: { path: '/a' } }, { readOnly: true }), undefined],
  [
    { allowedHostPaths: [{ pathPrefix: '/a', readOnly: true }] },
    pod({ volumes: [{ name: 'v', hostPath: { path: '/a' } }, { name: 'w', emptyDir: {} }], containers: [container(undefined, { volumeMounts: [{ name: 'w' }, { name: 'v', readOnly: true }] })] }),
    undefined,
  ],
  [{ allowedFlexVolumes: [{ driver: 'd' }, { driver: 'e' }] }, withVolume({ flexVolume: { driver: 'e' } }), undefined],
  [{ allowedFlexVolumes: [] }, withVolume({ flexVolume: { driver: 'e' } }), undefined],
  [{ allowedCSIDrivers: [{ name: 'd' }, { name: 'e' }] }, withVolume({ csi: { driver: 'e' } }), undefined],
  [{}, withVolume({ csi: { driver: 'e' } }), undefined],
  [{ allowedHostPaths: [{ pathPrefix: '/a/' }] }, withVolume({ hostPath: { path: '/ab' } }), 'spec.volumes[0].hostPath.pathPrefix: Invalid value: "/ab": is not allowed to be used'],
  [{ allowedHostPaths: [{ pathPrefix: '/a', readOnly: true }] }, withVolume({ hostPath: { path: '/a/b' } }, {}), 'spec.containers[0].volumeMounts[0].readOnly: Invalid value: false: must be read-only'],
  [{ allowedHostPaths: [{ pathPrefix: '/a', readOnly: true }, { pathPrefix: '/a/b' }] }, withVolume({ hostPath: { path: '/a/b' } }, {}), undefined],
  [{ allowedFlexVolumes: [{ driver: 'd' }] }, withVolume({ flexVolume: { driver: 'e' } }), 'spec.volumes[0].driver: Invalid value: "e": Flexvolume driver is not allowed to be used'],
  [{ allowedCSIDrivers: [{ name: 'd' }] }, withVolume({ csi: { driver: 'e' } }), 'spec.volumes[0].csi.driver: Invalid value: "e": Inline CSI driver is not allowed to be used'],
  [{ runtimeClass: { allowedRuntimeClassNames: ['r'] } }, pod({ runtimeClassName: 'q' }), 'spec.runtimeClassName: Invalid value: "q"]'],
  [{ runtimeClass: { allowedRuntimeClassNames: ['r'] } }, pod({ runtimeClassName: 'r' }), undefined],
  [{ runtimeClass: { allowedRuntimeClassNames: ['r'] } }, pod(), undefined],
  [{ runtimeClass: { allowedRuntimeClassNames: ['*'] } }, pod({ runtimeClassName: 'q' }), undefined],
  [{}, pod({ runtimeClassName: 'q' }), undefined],
  [
    { seLinux: { rule: 'MustRunAs', seLinuxOptions: { level: 's0' } } },
    pod({ securityContext: { seLinuxOptions: { level: 's1' } }, containers: [container({ seLinuxOptions: { level: 's0' } })] }),
    '[spec.securityContext.seLinuxOptions.level: Invalid value: "s1": must be s0]',
  ],
  ...['role', 'type', 'user'].map((member) => [
    { seLinux: { rule: 'MustRunAs', seLinuxOptions: { [member]: 'a:b,c' } } },
    running({ seLinuxOptions: { [member]: 'a:c,b' } }),
    `securityContext.seLinuxOptions.${member}: Invalid value: "a:c,b": must be a:b,c`,
  ] as const),
  ...[['s0', 's0:a'], ['s0:a', 's0'], ['s0:a', 's0:b'], ['s0', 's1'], ['s0:a', 's0:a,b']].map(([must, is]) => [
    { seLinux: { rule: 'MustRunAs', seLinuxOptions: { level: must } } },
    running({ seLinuxOptions: { level: is } }),
    `securityContext.seLinuxOptions.level: Invalid value: "${is}": must be ${must}`,
  ] as const),
  [{ runAsGroup: { rule: 'RunAsAny', ranges: [{ min: 1, max: 2 }] } }, running({ runAsGroup: 3 }), undefined],
  [{ runAsGroup: inRange('MustRunAs', 1, 2) }, running({ runAsGroup: 3 }), 'group 3 must be in the ranges: [{1 2}]'],
  [{ runAsUser: inRange('MustRunAs', 1, 2) }, running({ runAsUser: 2 }), undefined],
  [{ fsGroup: inRange('MayRunAs', 1, 2) }, pod(), undefined],
  [{}, pod({}, { annotations: { 'container.apparmor.security.beta.orch.io/c': 'localhost/y' } }), 'Forbidden: localhost/y is not an allowed profile. Allowed values: "localhost/x"', { 'apparmor.security.beta.orch.io/allowedProfileNames': 'localhost/x' }],
  [{}, pod({}, { annotations: { 'container.seccomp.security.alpha.orch.io/c': 'localhost/y' } }), 'container.seccomp.security.alpha.orch.io/c]: Forbidden: seccomp may not be set'],
  [{}, pod({}, { annotations: { [`${SECCOMP}pod`]: 'runtime/default', 'container.seccomp.security.alpha.orch.io/c': 'localhost/y' } }), 'Forbidden: localhost/y is not an allowed seccomp profile', { [`${SECCOMP}allowedProfileNames`]: 'runtime/default' }],
  [{}, pod({ securityContext: { seccompProfile: { type: 'RuntimeDefault' } } }, { annotations: { [`${SECCOMP}pod`]: 'runtime/default' } }), undefined, { [`${SECCOMP}allowedProfileNames`]: 'localhost/x,docker/default' }],
  [{}, pod({ securityContext: { seccompProfile: { type: 'RuntimeDefault' } } }), 'runtime/default is not an allowed seccomp profile. Valid values are unconfined', { [`${SECCOMP}allowedProfileNames`]: 'unconfined' }],
  [{}, pod({ securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'x' } } }), undefined, { [`${SECCOMP}allowedProfileNames`]: 'localhost/x,docker/default' }],
  [{}, pod({ securityContext: { seccompProfile: { type: 'RuntimeDefault' } } }), `pod.metadata.annotations[${SECCOMP}pod]: Forbidden: seccomp may not be set`],
  [{}, running({ seccompProfile: { type: 'Localhost', localhostProfile: 'x' } }), 'localhost/x is not an allowed seccomp profile. Valid values are unconfined', { [`${SECCOMP}allowedProfileNames`]: 'unconfined' }],
  [{}, running({ seccompProfile: { type: 'Unconfined' } }), undefined, { [`${SECCOMP}allowedProfileNames`]: '*' }],
  [{}, pod(), 'Forbidden: AppArmor profile must be set', { 'apparmor.security.beta.orch.io/allowedProfileNames': 'localhost/x' }],
];

for (const [spec, object, words, annotations] of ROWS) {
  test(`PodSecurityPolicy: ${words ?? `${JSON.stringify(spec)} ${JSON.stringify(annotations ?? {})} allows ${JSON.stringify(object['spec' as keyof ApiObject])}`}`, async () => {
    const done = asked(object, [policy('p', spec, annotations)]);
    if (words === undefined) await done;
    else await assert.rejects(done, refused(words));
  });
}

test('PodSecurityPolicy: as many containers, volumes and mounts, and groups that are not allowed, as a body allows', async () => {
  const many = <T>(count: number, make: (n: number) => T): readonly T[] => Array.from({ length: count }, (_, n) => make(n));
  const profile = { 'apparmor.security.beta.orch.io/defaultProfileName': 'runtime/default' };
  const crowd = pod({ containers: many(40_000, (n) => ({ name: `c${n}`, resources: {} })) });
  const filled: ApiObject[] = [];
  const watched: typeof podSecurityPolicy = { ...podSecurityPolicy, create: (env) => ({ ...podSecurityPolicy.create(env), validate: ({ object }) => void (object && filled.push(object)) }) };
  await admit(watched, crowd, { known: [policy('p', {}, profile)] });
  assert.equal(Object.keys(filled[0]?.metadata.annotations ?? {}).length, 40_001);
  const onlyRead = [policy('p', { allowedHostPaths: [{ pathPrefix: '/a', readOnly: true }] })];
  const mounting = (mount: object, nameOf = (n: number): string => `v${n}`): ApiObject =>
    pod({ volumes: many(20_000, (n) => ({ name: nameOf(n), hostPath: { path: '/a' } })), containers: [container(undefined, { volumeMounts: many(20_000, (n) => ({ name: nameOf(n), ...mount })) })] });
  await asked(mounting({ readOnly: true }), onlyRead);
  await assert.rejects(asked(mounting({}), onlyRead), refused('volumeMounts[0].readOnly: Invalid value: false: must be read-only'));
  await assert.rejects(asked(mounting({}, () => 'v'), onlyRead), refused('volumeMounts[0].readOnly: Invalid value: false: must be read-only'));
  const groups = pod({ securityContext: { supplementalGroups: many(100_000, (n) => n + 10) } });
  await assert.rejects(asked(groups, [policy('p', { supplementalGroups: inRange('MustRunAs', 1, 2) })]), refused('group 10 must be in the ranges: [{1 2}]'));
});

test('PodSecurityPolicy: others get on between the policies that a large pod is compared with', async () => {
  const large = pod({ containers: Array.from({ length: 5_000 }, (_, n) => ({ name: `c${n}`, resources: {}, securityContext: { privileged: true } })) });
  const policies = (count: number): readonly ApiObject[] => Array.from({ length: count }, (_, n) => policy(`p${n}`));
  const turnsOf = (count: number): Promise<number> => countTurns(() => assert.rejects(asked(large, policies(count)), refused('Privileged containers are not allowed')));
  const [more, less] = [await turnsOf(30), await turnsOf(1)];
  assert.ok(more >= less + 3, `${more} turns, ${less} for one policy`);
});

test('PodSecurityPolicy: a changed pod must fit as it is, and whoever changes only its owners is not asked', async () => {
  const known = [policy('p', { fsGroup: inRange('MustRunAs', 5, 6) })];
  const [live, labelled] = [pod(), pod({}, { labels: { a: 'b' } })];
  await asked(pod({}, { finalizers: ['a/b'], ownerReferences: [] }), known, { live });
  await assert.rejects(asked(labelled, known, { live }), refused('PodSecurityPolicy: unable to validate pod: []'));
  const fitting = pod({ securityContext: { fsGroup: 5 } }, { annotations: { 'orch.io/psp': 'p' } });
  const { annotations } = await admitted(podSecurityPolicy, fitting, { known: [policy('a'), ...known], live });
  assert.deepEqual(annotations, { 'podsecuritypolicy.policy.orch.io/validate-policy': 'p' });
});
