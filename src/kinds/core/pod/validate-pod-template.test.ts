import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import { FieldErrors } from '#errors';
import { container, faultsOf, templateOf } from './test-support.ts';
import { validatePodTemplate } from './validate-pod-template.ts';

type Row = readonly [spec: object, faults: readonly string[]];

function holds(rows: readonly Row[]): void {
  for (const [spec, faults] of rows) assert.deepEqual(faultsOf(spec), faults, JSON.stringify(spec));
}

/** Rows about the only container: its members, and faults below it. */
function holdsForContainer(rows: readonly Row[]): void {
  holds(rows.map(([more, faults]) => [{ containers: [container(more)] }, faults.map((fault) => fault.replace(' ', ' spec.containers[0].'))]));
}

test('R2.10-35 pod template: the least there must be', () => {
  holds([
    [{}, []],
    [{ containers: [] }, ['Required spec.containers']],
    [{ containers: null }, ['Required spec.containers']],
    [{ containers: [{}] }, ['Required spec.containers[0].name', 'Required spec.containers[0].image']],
    [{ containers: [container(), container()] }, ['Duplicate spec.containers[1].name']],
    [{ restartPolicy: 'Maybe' }, ['NotSupported spec.restartPolicy']],
    [{ activeDeadlineSeconds: 0 }, ['Invalid spec.activeDeadlineSeconds']],
    [{ activeDeadlineSeconds: 2 ** 31 }, ['Invalid spec.activeDeadlineSeconds']],
    [{ preemptionPolicy: 'x' }, ['NotSupported spec.preemptionPolicy']],
    [{ ephemeralContainers: [container({ name: 'e' })] }, ['Forbidden spec.ephemeralContainers']],
  ]);
});

test('containers: names, policies and ports', () => {
  holdsForContainer([
    [{ name: 'Bad Name' }, ['Invalid name']],
    [{ imagePullPolicy: 'Sometimes' }, ['NotSupported imagePullPolicy']],
    [{ terminationMessagePolicy: 'x' }, ['Invalid terminationMessagePolicy']],
    [{ ports: [{ containerPort: 0 }] }, ['Required ports[0].containerPort']],
    [{ ports: [{ containerPort: 65_536 }] }, ['Invalid ports[0].containerPort']],
    [{ ports: [{ containerPort: 1, protocol: 'ICMP' }] }, ['NotSupported ports[0].protocol']],
    [{ ports: [{ containerPort: 1, name: 'a' }, { containerPort: 2, name: 'a' }] }, ['Duplicate ports[1].name']],
    [{ ports: [{ containerPort: 1, name: '1' }] }, ['Invalid ports[0].name']],
    [{ ports: [{ containerPort: 1, hostPort: 9 }, { containerPort: 2, hostPort: 9 }] }, ['Duplicate ports[1].hostPort']],
    [{ ports: [{ containerPort: 1, hostPort: 9 }, { containerPort: 2, hostPort: 9, protocol: 'UDP' }] }, []],
  ]);
});

test('environment: names and sources', () => {
  const from = (valueFrom: object, value?: string): object => ({ env: [{ name: 'A', valueFrom, ...(value === undefined ? {} : { value }) }] });
  holdsForContainer([
    [{ env: [{ name: '' }] }, ['Required env[0].name']],
    [{ env: [{ name: '1a' }] }, ['Invalid env[0].name']],
    [from({}), ['Invalid env[0].valueFrom']],
    [from({ fieldRef: { fieldPath: 'metadata.name' } }, 'x'), ['Invalid env[0].valueFrom']],
    [from({ fieldRef: { fieldPath: 'metadata.name' }, secretKeyRef: { name: 's', key: 'k' } }), ['Invalid env[0].valueFrom']],
    [from({ fieldRef: { fieldPath: '' } }), ['Required env[0].valueFrom.fieldRef.fieldPath']],
    [from({ fieldRef: { fieldPath: 'spec.bogus' } }), ['Invalid env[0].valueFrom.fieldRef.fieldPath']],
    [from({ fieldRef: { fieldPath: 'metadata.labels' } }), ['NotSupported env[0].valueFrom.fieldRef.fieldPath']],
    [from({ fieldRef: { fieldPath: "metadata.labels['app']" } }), []],
    [from({ fieldRef: { fieldPath: "metadata.labels['a b']" } }), ['Invalid env[0].valueFrom.fieldRef']],
    [from({ fieldRef: { fieldPath: "metadata.labels['a']['b']" } }), ['Invalid env[0].valueFrom.fieldRef']],
    [from({ fieldRef: { fieldPath: "metadata.labels['']" } }), ['Invalid env[0].valueFrom.fieldRef']],
    [from({ fieldRef: { fieldPath: "metadata.labels[']" } }), ['Invalid env[0].valueFrom.fieldRef.fieldPath']],
    [from({ fieldRef: { fieldPath: "['a']" } }), ['Invalid env[0].valueFrom.fieldRef.fieldPath']],
    // Trying every place where the subscript could begin would take hours.
    [from({ fieldRef: { fieldPath: `metadata.labels${"['".repeat(2_000_000)}` } }), ['Invalid env[0].valueFrom.fieldRef.fieldPath']],
    [from({ resourceFieldRef: { resource: 'limits.cpu', divisor: '1Mi' } }), ['Invalid env[0].valueFrom.resourceFieldRef.divisor']],
    [from({ resourceFieldRef: { resource: 'limits.hugepages-2Mi', divisor: '1Mi' } }), []],
    [from({ resourceFieldRef: { resource: 'limits.bogus' } }), ['NotSupported env[0].valueFrom.resourceFieldRef.resource']],
    [from({ configMapKeyRef: { key: 'k' } }), ['Invalid env[0].valueFrom.configMapKeyRef.name']],
    [from({ configMapKeyRef: { name: 'm', key: 'a b' } }), ['Invalid env[0].valueFrom.configMapKeyRef.key']],
    [{ envFrom: [{}] }, ['Invalid envFrom']],
    [{ envFrom: [{ secretRef: {}, prefix: '1' }] }, ['Invalid envFrom[0].prefix', 'Required envFrom[0].secretRef.name']],
    [{ envFrom: [{ secretRef: { name: 'a-' } }, { configMapRef: { name: 'a-' } }] }, []],
    [{ envFrom: [{ secretRef: { name: '-' } }, { configMapRef: { name: '-a' } }] }, ['Invalid envFrom[0].secretRef.name', 'Invalid envFrom[1].configMapRef.name']],
    [from({ secretKeyRef: { name: 'a-', key: 'k' } }), ['Invalid env[0].valueFrom.secretKeyRef.name']],
  ]);
});

test('resources: known names, amounts that make sense, requests within limits', () => {
  const resources = (limits: object, requests: object): object => ({ resources: { limits, requests } });
  holdsForContainer([
    [resources({ cpu: '1', memory: '1Gi' }, { cpu: '100m' }), []],
    [resources({ cpu: '1' }, { cpu: '2' }), ['Invalid resources.requests']],
    [resources({ cpu: '-1' }, {}), ['Invalid resources.limits[cpu]']],
    [resources({ bogus: '1' }, {}), ['Invalid resources.limits[bogus]']],
    [resources({ 'a b': '1' }, {}), ['Invalid resources.limits[a b]']],
    [resources({ 'example.com/gpu': '500m' }, {}), ['Invalid resources.limits[example.com/gpu]']],
    [resources({ 'example.com/gpu': '2' }, { 'example.com/gpu': '1' }), ['Invalid resources.requests']],
    [resources({}, { 'example.com/gpu': '1' }), ['Required resources.limits']],
    [resources({ 'hugepages-2Mi': '4Mi' }, {}), ['Forbidden resources']],
    [resources({ 'hugepages-2Mi': '3Mi', cpu: '1' }, {}), ['Invalid resources.limits[hugepages-2Mi]']],
    [resources({ 'hugepages-2Mi': '4Mi', cpu: '1' }, { 'hugepages-2Mi': '3Mi' }), ['Invalid resources.requests', 'Invalid resources.requests[hugepages-2Mi]']],
    [resources({ 'hugepages-2Mi': '4Mi', cpu: '1' }, { 'hugepages-2Mi': '4Mi' }), []],
    [resources({ 'hugepages-2Mi': '2097151500m', cpu: '1' }, {}), []],
  ]);
  holds([[{ overhead: { bogus: '1' } }, ['Invalid spec.overhead.limits[bogus]']]]);
});

test('probes and lifecycle: one handler, numbers that make sense', () => {
  const exec = { command: ['x'] };
  holdsForContainer([
    [{ livenessProbe: {} }, ['Required livenessProbe']],
    [{ livenessProbe: { exec: {} } }, ['Required livenessProbe.exec.command']],
    [{ livenessProbe: { exec, tcpSocket: { port: 1 } } }, ['Forbidden livenessProbe.tcpSocket']],
    [{ livenessProbe: { exec, successThreshold: 2 } }, ['Invalid livenessProbe.successThreshold']],
    [{ startupProbe: { exec, successThreshold: 2 } }, ['Invalid startupProbe.successThreshold']],
    [{ readinessProbe: { exec, successThreshold: 2 } }, []],
    [{ readinessProbe: { exec, terminationGracePeriodSeconds: 3 } }, ['Invalid readinessProbe.terminationGracePeriodSeconds']],
    [{ livenessProbe: { exec, periodSeconds: -1 } }, ['Invalid livenessProbe.periodSeconds']],
    [{ livenessProbe: { httpGet: { port: 0 } } }, ['Invalid livenessProbe.httpGet.port']],
    [{ livenessProbe: { httpGet: { port: 'http', scheme: 'FTP' } } }, ['NotSupported livenessProbe.httpGet.scheme']],
    [{ livenessProbe: { httpGet: { port: 1, httpHeaders: [{ name: 'a b', value: '' }] } } }, ['Invalid livenessProbe.httpGet.httpHeaders']],
    [{ lifecycle: { preStop: {} } }, ['Required lifecycle.preStop']],
    [{ lifecycle: { postStart: { exec } } }, []],
    [{ lifecycle: { postStart: {}, preStop: { exec } } }, ['Required lifecycle.postStart']],
    // In 1.23 only nodes ask whether the feature is on: the server keeps and judges the handler.
    [{ livenessProbe: { grpc: { port: 1 } } }, []],
    [{ livenessProbe: { grpc: { port: 0 } } }, ['Invalid livenessProbe.grpc.port']],
  ]);
});

test('faults of a container stand in the order in which 1.23 looks, those of a startup probe twice', () => {
  const probe = { periodSeconds: -1, successThreshold: 2, exec: { command: ['x'] } };
  const at = new FieldErrors();
  const rules = { brand: brandOf('orch'), allowsPrivileged: false };
  const behaviour = { livenessProbe: probe, startupProbe: probe, readinessProbe: { ...probe, terminationGracePeriodSeconds: 0 } };
  const rest = { imagePullPolicy: 'a', terminationMessagePolicy: 'b', ports: [{ containerPort: -1 }], securityContext: { runAsUser: -1 } };
  validatePodTemplate(templateOf({ containers: [container({ ...behaviour, ...rest })] }), at, rules);
  assert.deepEqual(
    at.causes.map(({ field = '' }) => field.slice('spec.containers[0].'.length)),
    [
      'livenessProbe.periodSeconds',
      'readinessProbe.terminationGracePeriodSeconds',
      'startupProbe.periodSeconds',
      'livenessProbe.successThreshold',
      'startupProbe.periodSeconds',
      'startupProbe.successThreshold',
      'terminationMessagePolicy',
      'readinessProbe.periodSeconds',
      'readinessProbe.terminationGracePeriodSeconds',
      'ports[0].containerPort',
      'imagePullPolicy',
      'securityContext.runAsUser',
    ],
  );
});

test('init containers run once, before the others', () => {
  const init = (more: object): object => ({ initContainers: [container({ name: 'i', ...more })] });
  holds([
    [init({}), []],
    [init({ name: 'c' }), ['Duplicate spec.initContainers[0].name']],
    [init({ livenessProbe: { exec: { command: ['x'] } } }), ['Invalid spec.initContainers[0].livenessProbe']],
    [{ initContainers: [1, 2].map((n) => container({ name: `i${n}`, ports: [{ containerPort: 1, hostPort: 9 }] })) }, []],
  ]);
});

test('security: privileges are for those the server trusts, ids are in range', () => {
  holdsForContainer([
    [{ securityContext: { privileged: true } }, ['Forbidden securityContext.privileged']],
    [{ securityContext: { runAsUser: -1, runAsGroup: 2 ** 31 } }, ['Invalid securityContext.runAsUser', 'Invalid securityContext.runAsGroup']],
    [{ securityContext: { seccompProfile: {} } }, ['Required securityContext.seccompProfile.type']],
    [{ securityContext: { seccompProfile: { type: 'Localhost' } } }, ['Required securityContext.seccompProfile.localhostProfile']],
    [
      { securityContext: { seccompProfile: { type: 'Unconfined', localhostProfile: 'a' } } },
      ['Invalid securityContext.seccompProfile.localhostProfile'],
    ],
    [{ securityContext: { allowPrivilegeEscalation: false, capabilities: { add: ['CAP_SYS_ADMIN'] } } }, ['Invalid securityContext']],
    [{ securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'a/b' } } }, []],
    [{ securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'a/../../b' } } }, ['Invalid securityContext.seccompProfile.localhostProfile']],
    [{ securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: '/a' } } }, ['Invalid securityContext.seccompProfile.localhostProfile']],
    [{ securityContext: { windowsOptions: { runAsUserName: 'a\\b\\c' } } }, ['Invalid securityContext.windowsOptions.runAsUserName']],
    [{ securityContext: { windowsOptions: { runAsUserName: 'DOMAIN\\user' } } }, []],
  ]);
  const privileged = { containers: [container({ securityContext: { privileged: true } })] };
  assert.deepEqual(faultsOf(privileged, { allowsPrivileged: true }), []);
  const unable = { containers: [container({ securityContext: { privileged: true, allowPrivilegeEscalation: false } })] };
  assert.deepEqual(faultsOf(unable, { allowsPrivileged: true }), ['Invalid spec.containers[0].securityContext']);
  holds([
    [{ securityContext: { sysctls: [{ name: 'a.b', value: '1' }, { name: 'a.b', value: '1' }] } }, ['Duplicate spec.securityContext.sysctls[1].name']],
    [{ securityContext: { sysctls: [{ name: '', value: '' }] } }, ['Required spec.securityContext.sysctls[0].name']],
    [{ securityContext: { fsGroupChangePolicy: '' } }, ['NotSupported spec.securityContext.fsGroupChangePolicy']],
    [{ hostPID: true, shareProcessNamespace: true }, ['Invalid spec.securityContext.shareProcessNamespace']],
    [{ hostNetwork: true, containers: [container({ ports: [{ containerPort: 1 }] })] }, []],
    [
      { hostNetwork: true, containers: [container({ ports: [{ containerPort: 1, hostPort: 2 }] })] },
      ['Invalid spec.containers[0].ports[0].containerPort'],
    ],
    [
      { securityContext: { windowsOptions: { hostProcess: true } } },
      ['Invalid spec.hostNetwork', 'Forbidden spec'],
    ],
  ]);
});

test('placement: affinity, tolerations, topology', () => {
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const node = (term: object): object => ({ affinity: { nodeAffinity: { [required]: { nodeSelectorTerms: [term] } } } });
  const path = `spec.affinity.nodeAffinity.${required}.nodeSelectorTerms`;
  holds([
    [{ nodeSelector: { 'a b': 'c' } }, ['Invalid spec.nodeSelector']],
    [{ affinity: { nodeAffinity: { [required]: {} } } }, [`Required ${path}`]],
    [node({ matchExpressions: [{ key: 'a', operator: 'In' }] }), [`Required ${path}[0].matchExpressions[0].values`]],
    [node({ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1', '2'] }] }), [`Required ${path}[0].matchExpressions[0].values`]],
    [node({ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['1'] }] }), [`Forbidden ${path}[0].matchExpressions[0].values`]],
    [node({ matchFields: [{ key: 'x', operator: 'In', values: ['a'] }] }), [`Invalid ${path}[0].matchFields[0].key`]],
    [
      { affinity: { podAffinity: { [required]: [{ topologyKey: '' }] } } },
      [`Required spec.affinity.podAffinity.${required}[0].topologyKey`, `Invalid spec.affinity.podAffinity.${required}[0].topologyKey`],
    ],
    [
      { affinity: { podAntiAffinity: { [required]: [{ topologyKey: 'a', namespaces: ['A'] }] } } },
      [`Invalid spec.affinity.podAntiAffinity.${required}[0].namespace`],
    ],
    [{ tolerations: [{ operator: 'Equal' }] }, ['Invalid spec.tolerations[0].operator']],
    [{ tolerations: [{ operator: 'Exists' }] }, []],
    [{ tolerations: [{ key: 'a', tolerationSeconds: 1 }] }, ['Invalid spec.tolerations[0].effect']],
    [{ tolerations: [{ key: 'a', operator: 'x', effect: 'y' }] }, ['NotSupported spec.tolerations[0].operator', 'NotSupported spec.tolerations[0].effect']],
    [
      { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: '' }] },
      [
        'Invalid spec.topologySpreadConstraints[0].maxSkew',
        'Required spec.topologySpreadConstraints[0].topologyKey',
        'NotSupported spec.topologySpreadConstraints[0].whenUnsatisfiable',
      ],
    ],
    [
      { topologySpreadConstraints: [1, 2].map((maxSkew) => ({ maxSkew, topologyKey: 'a', whenUnsatisfiable: 'ScheduleAnyway' })) },
      ['Duplicate spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}'],
    ],
  ]);
});

test('names in the network', () => {
  holds([
    [{ hostname: 'A' }, ['Invalid spec.hostname']],
    [{ subdomain: 'a.b' }, ['Invalid spec.subdomain']],
    [{ serviceAccountName: 'a_b', runtimeClassName: '' }, ['Invalid spec.serviceAccountName', 'Invalid spec.runtimeClassName']],
    [{ readinessGates: [{ conditionType: '' }] }, ['Invalid spec.readinessGates[0].conditionType']],
    [{ dnsPolicy: 'None' }, ['Required spec.dnsConfig']],
    [{ dnsPolicy: 'None', dnsConfig: {} }, ['Required spec.dnsConfig.nameservers']],
    [{ dnsPolicy: 'x' }, ['NotSupported spec.dnsPolicy']],
    [{ dnsConfig: { nameservers: ['1.2.3.4', 'x'] } }, ['Invalid spec.dnsConfig.nameservers[1]']],
    [{ dnsConfig: { searches: ['a.', 'A'] } }, ['Invalid spec.dnsConfig.searches[1]']],
    [{ dnsConfig: { searches: Array.from({ length: 7 }, () => 'a') } }, ['Invalid spec.dnsConfig.searches']],
    [{ dnsConfig: { options: [{}] } }, ['Required spec.dnsConfig.options[0]']],
    [{ hostAliases: [{ ip: 'x', hostnames: ['A'] }] }, ['Invalid spec.hostAliases.ip', 'Invalid spec.hostAliases.hostnames']],
  ]);
});

test('annotations that mean something to pods, as each dialect spells them', () => {
  const seccomp = (domain: string): object => ({ annotations: { [`seccomp.security.alpha.${domain}/pod`]: 'bogus' } });
  const wrong = ['Invalid annotations.seccomp.security.alpha.orch.io/pod'];
  assert.deepEqual(faultsOf({}, { metadata: seccomp('orch.io') }), wrong);
  assert.deepEqual(faultsOf({}, { metadata: seccomp('kubernetes.io') }), []);
  assert.deepEqual(faultsOf({}, { metadata: seccomp('kubernetes.io'), dialect: 'kubernetes' }), [wrong[0]?.replace('orch', 'kubernetes')]);
  const metadata = { annotations: { 'controller.orch.io/pod-deletion-cost': '+1', 'container.apparmor.security.beta.orch.io/x': 'y' } };
  assert.deepEqual(faultsOf({}, { metadata }), [
    'Invalid annotations[controller.orch.io/pod-deletion-cost]',
    'Invalid annotations[container.apparmor.security.beta.orch.io/x]',
  ]);
  const agreed = { annotations: { 'seccomp.security.alpha.orch.io/pod': 'unconfined' } };
  assert.deepEqual(faultsOf({ securityContext: { seccompProfile: { type: 'RuntimeDefault' } } }, { metadata: agreed }), [
    'Forbidden spec.securityContext.seccompProfile.type',
  ]);
  assert.deepEqual(faultsOf({}, { metadata: { labels: { 'a b': '' }, annotations: { 'c d': '' } } }), ['Invalid labels', 'Invalid annotations']);
});

test('names such as __proto__ and constructor are ordinary data', () => {
  const limits = JSON.parse('{"__proto__": "1.0001", "constructor": "1"}') as object;
  assert.deepEqual(faultsOf({ containers: [container({ resources: { limits } })] }), [
    'Invalid spec.containers[0].resources.limits[__proto__]',
    'Invalid spec.containers[0].resources.limits[constructor]',
  ]);
});

test('R2.10-35 pod template: faults stand in the order in which 1.23 looks for them', () => {
  const annotations = {
    'container.seccomp.security.alpha.orch.io/c': 'x',
    'seccomp.security.alpha.orch.io/pod': 'x',
    'controller.orch.io/pod-deletion-cost': 'x',
    'orch.io/config.mirror': 'x',
  };
  const spec = {
    overhead: { x: '1' },
    preemptionPolicy: 'x',
    runtimeClassName: 'X',
    priorityClassName: 'X',
    hostAliases: [{ ip: 'x' }],
    tolerations: [{ key: 'k', operator: 'x' }],
    subdomain: 'X',
    hostname: 'X',
    activeDeadlineSeconds: 0,
    serviceAccountName: 'X',
    topologySpreadConstraints: [{ maxSkew: 0, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule' }],
    readinessGates: [{ conditionType: '' }],
    dnsConfig: { nameservers: ['x'] },
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
    securityContext: { runAsUser: -1, fsGroup: -1, windowsOptions: { hostProcess: true } },
    nodeSelector: { '': 'x' },
    dnsPolicy: 'x',
    restartPolicy: 'x',
    containers: [{ name: 'c' }],
    volumes: [{ name: 'X' }],
  };
  assert.deepEqual(faultsOf(spec, { metadata: { annotations } }), [
    'Invalid annotations[orch.io/config.mirror]',
    'Invalid annotations[controller.orch.io/pod-deletion-cost]',
    'Invalid annotations.seccomp.security.alpha.orch.io/pod',
    'Invalid annotations.container.seccomp.security.alpha.orch.io/c',
    'Invalid spec.volumes[0].name',
    'Required spec.containers[0].image',
    'NotSupported spec.restartPolicy',
    'NotSupported spec.dnsPolicy',
    'Invalid spec.nodeSelector',
    'Invalid spec.securityContext.fsGroup',
    'Invalid spec.securityContext.runAsUser',
    'Required spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms',
    'Invalid spec.dnsConfig.nameservers[0]',
    'Invalid spec.readinessGates[0].conditionType',
    'Invalid spec.topologySpreadConstraints[0].maxSkew',
    'Invalid spec.hostNetwork',
    'Forbidden spec',
    'Invalid spec.serviceAccountName',
    'Invalid spec.activeDeadlineSeconds',
    'Invalid spec.hostname',
    'Invalid spec.subdomain',
    'NotSupported spec.tolerations[0].operator',
    'Invalid spec.hostAliases.ip',
    'Invalid spec.priorityClassName',
    'Invalid spec.runtimeClassName',
    'NotSupported spec.preemptionPolicy',
    'Invalid spec.overhead.limits[x]',
  ]);
  assert.deepEqual(faultsOf({ ephemeralContainers: [container({ name: 'e', livenessProbe: { exec: { command: ['x'] } }, resources: { limits: { cpu: '1' } }, ports: [{ containerPort: 1 }] })] }), [
    'Forbidden spec.ephemeralContainers[0].ports',
    'Forbidden spec.ephemeralContainers[0].resources',
    'Forbidden spec.ephemeralContainers[0].livenessProbe',
    'Forbidden spec.ephemeralContainers',
  ]);
});
