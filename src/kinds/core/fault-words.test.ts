import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KindDefinition } from '#api';
import { VolumeAttachment } from '../storage/volume-attachment.ts';
import { write } from '../test-support.ts';
import { Endpoints } from './endpoints.ts';
import { LimitRange } from './limit-range.ts';
import { Node } from './node.ts';
import { PersistentVolumeClaim } from './persistent-volume-claim.ts';
import { PersistentVolume } from './persistent-volume.ts';
import { container } from './pod/test-support.ts';
import { Pod } from './pod.ts';
import { ResourceQuota } from './resource-quota.ts';
import { Secret } from './secret.ts';
import { Service } from './service.ts';

/** Words that clients read, with values in the notation of Go. */
const BALANCED = { ports: [{ port: 80 }], type: 'LoadBalancer' };
const NODE_DISK = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] };
const LONG_TARGET = { targetPortal: 'p'.repeat(64), iqn: 'iqn.2001-04.com.example:a', lun: 0, initiatorName: 'iqn.2001-04.com.example:a' };
const NO_TARGET = { targetPortal: 'p', iqn: 'x', lun: 0 };
const TOO_LONG = 'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
const pod = (more: object): object => ({ spec: { containers: [container(more)] } });
const docker = (text: string): object => ({ type: 'orch.io/dockercfg', data: { '.dockercfg': Buffer.from(text).toString('base64') } });
const ranged = (text: string): object => ({ metadata: { annotations: { 'service.beta.orch.io/load-balancer-source-ranges': text } }, spec: BALANCED });
const claimed = { name: 'v', ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } } } };

const said: readonly (readonly [what: string, kind: KindDefinition<never>, body: object, message: string])[] = [
  [
    'half of what cannot be divided',
    ResourceQuota,
    { spec: { hard: { pods: '1500m' } } },
    'Invalid value: resource.Quantity{i:resource.int64Amount{value:1500, scale:-3}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1500m", Format:"DecimalSI"}: must be an integer',
  ],
  [
    'pages to ask for other than those allowed',
    LimitRange,
    { spec: { limits: [{ type: 'Container', default: { 'hugepages-2Mi': '4Mi' }, defaultRequest: { 'hugepages-2Mi': '2Mi' } }] } },
    'Invalid value: resource.Quantity{i:resource.int64Amount{value:2097152, scale:0}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"2Mi", Format:"BinarySI"}: ' +
      'default value 4Mi must equal to defaultRequest value 2Mi in hugepages-2Mi',
  ],
  [
    'a profile that cannot be printed',
    Pod,
    { ...pod({}), metadata: { annotations: { 'container.apparmor.security.beta.orch.io/c': 'x\u0007' } } },
    'Invalid value: "x\\a": invalid AppArmor profile name: "x\\a"',
  ],
  [
    'a profile of no type',
    Pod,
    pod({ securityContext: { seccompProfile: { type: 'Unconfined', localhostProfile: 'p' } } }),
    'Invalid value: core.SeccompProfile{Type:"Unconfined", LocalhostProfile:(*string)(0xc000000000)}: can only be set when seccomp type is Localhost',
  ],
  [
    'a container that rises',
    Pod,
    pod({ securityContext: { allowPrivilegeEscalation: false, runAsUser: 1, capabilities: { add: ['CAP_SYS_ADMIN'] } } }),
    'Invalid value: core.SecurityContext{Capabilities:(*core.Capabilities)(0xc000000000), Privileged:(*bool)(nil), SELinuxOptions:(*core.SELinuxOptions)(nil), ' +
      'WindowsOptions:(*core.WindowsSecurityContextOptions)(nil), RunAsUser:(*int64)(0xc000000000), RunAsGroup:(*int64)(nil), RunAsNonRoot:(*bool)(nil), ' +
      'ReadOnlyRootFilesystem:(*bool)(nil), AllowPrivilegeEscalation:(*bool)(0xc000000000), ProcMount:(*core.ProcMountType)(nil), ' +
      'SeccompProfile:(*core.SeccompProfile)(nil)}: cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
  ],
  [
    'a part of a member that has none',
    Pod,
    pod({ env: [{ name: 'E', valueFrom: { fieldRef: { fieldPath: `metadata.name['k']` } } }] }),
    `Invalid value: "metadata.name['k']": error converting fieldPath: field label does not support subscript: metadata.name['k']`,
  ],
  [
    'a claim of its own by name',
    Pod,
    { spec: { containers: [container()], volumes: [claimed, { name: 'w', persistentVolumeClaim: { claimName: 'a-v' } }] } },
    'Invalid value: "a-v": must not reference a PVC that gets created for an ephemeral volume',
  ],
  [
    'two protocols',
    Service,
    { spec: { type: 'LoadBalancer', ports: [{ name: 'a', port: 53 }, { name: 'b', port: 53, protocol: 'UDP', targetPort: 'dns', appProtocol: 'd' }] } },
    'Invalid value: []core.ServicePort{core.ServicePort{Name:"a", Protocol:"TCP", AppProtocol:(*string)(nil), Port:53, TargetPort:intstr.IntOrString{Type:0, IntVal:53, StrVal:""}, NodePort:0}, ' +
      'core.ServicePort{Name:"b", Protocol:"UDP", AppProtocol:(*string)(0xc000000000), Port:53, TargetPort:intstr.IntOrString{Type:1, IntVal:0, StrVal:"dns"}, NodePort:0}}: ' +
      `may not contain more than 1 protocol when type is 'LoadBalancer'`,
  ],
  ['ranges in an annotation', Service, ranged('10.0.0.0/8, x'), 'Invalid value: "10.0.0.0/8, x": must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 '],
  ['ranges in the spec', Service, { spec: { ...BALANCED, loadBalancerSourceRanges: ['a', 'b'] } }, 'Invalid value: "[a b]": must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 '],
  [
    'a scope of what has none',
    ResourceQuota,
    { spec: { hard: { services: '1' }, scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['a'] }] } } },
    'Invalid value: core.ScopeSelector{MatchExpressions:[]core.ScopedResourceSelectorRequirement{core.ScopedResourceSelectorRequirement{ScopeName:"PriorityClass", Operator:"In", Values:[]string{"a"}}}}: unsupported scope applied to resource',
  ],
  [
    'scopes that exclude each other',
    ResourceQuota,
    { spec: { scopeSelector: { matchExpressions: ['Terminating', 'NotTerminating'].map((scopeName) => ({ scopeName, operator: 'Exists' })) } } },
    'Invalid value: []core.ResourceQuotaScope(nil): conflicting scopes',
  ],
  [
    'a probe of what ends',
    Pod,
    { spec: { containers: [container()], initContainers: [container({ name: 'i', livenessProbe: { exec: { command: ['x'] } } })] } },
    'Invalid value: core.Probe{ProbeHandler:core.ProbeHandler{Exec:(*core.ExecAction)(0xc000000000), HTTPGet:(*core.HTTPGetAction)(nil), TCPSocket:(*core.TCPSocketAction)(nil), GRPC:(*core.GRPCAction)(nil)}, ' +
      'InitialDelaySeconds:0, TimeoutSeconds:1, PeriodSeconds:10, SuccessThreshold:1, FailureThreshold:3, TerminationGracePeriodSeconds:(*int64)(nil)}: must not be set for init containers',
  ],
  [
    'an end of what ends',
    Pod,
    { spec: { containers: [container()], initContainers: [container({ name: 'i', lifecycle: { preStop: { exec: { command: ['x'] } } } })] } },
    'Invalid value: core.Lifecycle{PostStart:(*core.LifecycleHandler)(nil), PreStop:(*core.LifecycleHandler)(0xc000000000)}: must not be set for init containers',
  ],
  ['an address of nobody', Endpoints, { subsets: [{ addresses: [{ ip: '::0' }] }] }, 'Invalid value: "::0": may not be unspecified (::0)'],
  [
    'a namespace without a name',
    PersistentVolume,
    { spec: { ...NODE_DISK, glusterfs: { endpoints: 'e', path: 'p', endpointsNamespace: '' } } },
    'Invalid value: "": if the endpointnamespace is set, it must be a valid namespace name',
  ],
  ['two long names that become one', Pod, { spec: { containers: [container()], volumes: [{ name: 'v', iscsi: LONG_TARGET }] } }, `Invalid value: "v": ${TOO_LONG}`],
  ['two long names that become one', PersistentVolume, { spec: { ...NODE_DISK, iscsi: LONG_TARGET } }, `Invalid value: "${LONG_TARGET.targetPortal}": ${TOO_LONG}`],
  ['a target of no form', Pod, { spec: { containers: [container()], volumes: [{ name: 'v', iscsi: NO_TARGET }] } }, 'Invalid value: "x": must be valid format starting with iqn, eui, or naa'],
  ['a target of no form', PersistentVolume, { spec: { ...NODE_DISK, iscsi: NO_TARGET } }, 'Invalid value: "x": must be valid format'],
  [
    'one file of two secrets',
    Pod,
    { spec: { containers: [container()], volumes: [{ name: 'v', projected: { sources: ['s', 't'].map((name) => ({ secret: { name, items: [{ key: 'k', path: 'p' }] } })) } }] } },
    'Invalid value: "t": conflicting duplicate paths',
  ],
  [
    'a block device inside an attachment',
    VolumeAttachment,
    { spec: { attacher: 'd', nodeName: 'n', source: { inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], csi: { driver: 'd', volumeHandle: 'h' }, volumeMode: 'Block' } } } },
    'Forbidden: may not specify volumeMode other than Filesystem in the context of inline volumes',
  ],
  ['no JSON', Secret, docker('bad'), `Invalid value: "<secret contents redacted>": invalid character 'b' looking for beginning of value`],
  ['JSON that ends', Secret, docker(''), 'Invalid value: "<secret contents redacted>": unexpected end of JSON input'],
  ['a list in JSON', Secret, docker('[]'), 'Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {}'],
];

for (const [what, kind, body, message] of said) test(`${kind.kind}: ${what}, in words that clients know`, () => assert.deepEqual(write(kind, { body }).messages, [message]));

test('PersistentVolume, PersistentVolumeClaim: less than nothing, in words that clients know', () => {
  const said = (storage: string): readonly string[] => write(PersistentVolume, { body: { spec: { ...NODE_DISK, hostPath: { path: '/x' }, capacity: { storage } } } }).messages;
  assert.deepEqual(said('-1Gi'), ['Invalid value: -1073741824: must be a valid resource quantity', 'Invalid value: "-1Gi": must be greater than zero']);
  assert.deepEqual(said('-100m')[0], 'Invalid value: -1: must be a valid resource quantity');
  const claim = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
  const { object: live } = write(PersistentVolumeClaim, { body: claim });
  const { messages } = write(PersistentVolumeClaim, { body: { ...claim, status: { capacity: { storage: '-1Ki' } } }, live, subresource: 'status' });
  assert.deepEqual(messages, ['Invalid value: -1024: must be a valid resource quantity']);
});

test('Pod: addresses of one family, in words that clients know', () => {
  const live = write(Pod, { body: pod({}) }).object;
  const messages = (...ips: readonly string[]): readonly string[] =>
    write(Pod, { body: { ...live, status: { podIPs: ips.map((ip) => ({ ip })) } }, live, subresource: 'status' }).messages;
  assert.deepEqual(messages('192.0.2.1', '192.0.2.1'), [
    'Invalid value: []core.PodIP{core.PodIP{IP:"192.0.2.1"}, core.PodIP{IP:"192.0.2.1"}}: may specify no more than one IP for each IP family',
    'Duplicate value: core.PodIP{IP:"192.0.2.1"}',
  ]);
  assert.deepEqual(messages('192.0.2.1', 'fd00::1'), []);
  assert.deepEqual(messages('x', '192.0.2.1').slice(-2), [
    'Internal error: failed to check for dual stack with error:ip <nil> is invalid',
    'Invalid value: []core.PodIP{core.PodIP{IP:"x"}, core.PodIP{IP:"192.0.2.1"}}: may specify no more than one IP for each IP family',
  ]);
});

test('Pod: a container for debugging that is gone or another, in words that clients know', () => {
  const debug = { name: 'd', image: 'img' };
  const base = write(Pod, { body: pod({}) }).object as Pod;
  const withContainers = (live: Pod, containers: readonly object[]): ReturnType<typeof write> =>
    write(Pod, { body: { ...live, spec: { ...live.spec, ephemeralContainers: containers } }, live, subresource: 'ephemeralcontainers' });
  const live = withContainers(base, [debug]).object as Pod;
  const messages = (...containers: readonly object[]): readonly string[] => withContainers(live, containers).messages;
  assert.deepEqual(messages(), ['Forbidden: existing ephemeral containers "d" may not be removed\n']);
  assert.deepEqual(messages({ ...debug, image: 'other' }), ['Forbidden: existing ephemeral containers "d" may not be changed\n- image: "other"\n+ image: "img"']);
  assert.deepEqual(messages({ ...debug, env: [] }), []);
});

test('Pod, PersistentVolumeClaim, PersistentVolume: what was changed that must stay is named, what was sent before what is kept', () => {
  const changed = (kind: KindDefinition<never>, before: object, after: object): readonly string[] => {
    const { messages } = write(kind, { body: after, live: write(kind, { body: before }).object });
    return messages.flatMap((message) => message.split('\n').slice(1));
  };
  assert.deepEqual(changed(Pod, pod({}), { spec: { restartPolicy: 'Never', containers: [container({ image: 'img:2', command: ['x'] })] } }), [
    '- restartPolicy: "Never"',
    '+ restartPolicy: "Always"',
    '- containers[0].command: ["x"]',
    '+ containers[0].command: nil',
  ]);
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  assert.deepEqual(changed(PersistentVolumeClaim, { spec: { ...claim, storageClassName: 'a' } }, { spec: { ...claim, storageClassName: 'b' } }), ['- storageClassName: "b"', '+ storageClassName: "a"']);
  const volume = (path: string): object => ({ spec: { ...NODE_DISK, hostPath: { path } } });
  assert.deepEqual(changed(PersistentVolume, volume('/x'), volume('/y')), ['- hostPath.path: "/y"', '+ hostPath.path: "/x"']);
});

test('Node: a taint with a value of many faults, in words that clients know', () => {
  const value = '?'.repeat(64);
  const { messages } = write(Node, { body: { spec: { taints: [{ key: 'k', value, effect: 'NoExecute' }] } } });
  assert.equal(messages.length, 1);
  assert.match(messages[0] ?? '', /^Invalid value: "\?{64}": must be no more than 63 characters;a valid label must be an empty string or/);
});

test('Node: an address twice, in words that clients know', () => {
  const live = write(Node, { body: {} }).object;
  const address = { type: 'Hostname', address: 'h' };
  const { messages } = write(Node, { body: { status: { addresses: [address, address] } }, live, subresource: 'status' });
  assert.deepEqual(messages, ['Duplicate value: core.NodeAddress{Type:"Hostname", Address:"h"}']);
});
