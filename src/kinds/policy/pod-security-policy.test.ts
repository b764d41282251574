import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, write } from '../test-support.ts';
import { PodSecurityPolicy, type PodSecurityPolicy as Policy } from './pod-security-policy.ts';

const any = { rule: 'RunAsAny' };
const base = { seLinux: any, runAsUser: any, supplementalGroups: any, fsGroup: any };
const range = (min: number, max: number): object => ({ rule: 'MustRunAs', ranges: [{ min, max }] });

const created: readonly (readonly [title: string, spec: object, causes: readonly string[]])[] = [
  ['nothing wrong', {}, []],
  ['unknown rules', { seLinux: {}, fsGroup: { rule: 'Bogus' } }, ['NotSupported spec.seLinux.rule', 'NotSupported spec.fsGroup.rule']],
  ['a range backwards', { runAsUser: range(2, 1) }, ['Invalid spec.runAsUser.ranges[0].min']],
  ['a range below zero', { fsGroup: range(1, -1) }, ['Invalid spec.fsGroup.ranges[0].max', 'Invalid spec.fsGroup.ranges[0].min']],
  ['a range that begins below zero', { fsGroup: range(-1, 1) }, ['Invalid spec.fsGroup.ranges[0].min']],
  ['a range of zero', { fsGroup: range(0, 0), runAsGroup: range(1, 2) }, []],
  ['any group', { runAsGroup: any }, []],
  ['an unknown rule of groups', { runAsGroup: { rule: 'Bogus', ranges: [{ min: 2, max: 1 }] } }, ['NotSupported spec.runAsGroup.rule']],
  ['every capability', { allowedCapabilities: ['*'] }, []],
  ['a capability dropped', { requiredDropCapabilities: ['KILL'], allowedCapabilities: ['CHOWN'] }, []],
  ['a volume by the name that it has here alone', { volumes: ['cephFS', 'cephfs'] }, ['NotSupported spec.volumes']],
  ['groups without range', { runAsGroup: { rule: 'MayRunAs' } }, ['Invalid spec.runAsGroup.ranges']],
  ['any group, with a range', { runAsGroup: { ...range(1, 2), rule: 'RunAsAny' } }, ['Invalid spec.runAsGroup.ranges']],
  ['an unknown volume', { volumes: ['*', 'secret', 'floppy'] }, ['NotSupported spec.volumes']],
  ['capabilities dropped and added', { requiredDropCapabilities: ['KILL'], defaultAddCapabilities: ['KILL'], allowedCapabilities: ['*'] }, ['Invalid requiredDropCapabilities', 'Invalid defaultAddCapabilities']],
  ['escalation against itself', { allowPrivilegeEscalation: false, defaultAllowPrivilegeEscalation: true }, ['Invalid spec.defaultAllowPrivilegeEscalation']],
  ['paths', { allowedHostPaths: [{ pathPrefix: '/a/../b' }, {}, {}] }, ['Invalid spec.allowedHostPaths[0]', 'Required spec.allowedHostPaths[1]']],
  ['drivers', { allowedFlexVolumes: [{}], allowedCSIDrivers: [{ name: 'Bad!' }] }, ['Required spec.allowedFlexVolumes.allowedFlexVolumes[0].driver', 'Invalid spec.allowedCSIDrivers.allowedCSIDriver[0].name']],
  ['sysctls', { allowedUnsafeSysctls: ['', 'a.b*', 'A'], forbiddenSysctls: ['a.bc'] }, ['Invalid spec.allowedUnsafeSysctls[0]', 'Invalid spec.allowedUnsafeSysctls[2]', 'Invalid spec.forbiddenSysctls[0]']],
  ['the longest sysctl, and a longer one', { forbiddenSysctls: ['a'.repeat(253), 'b'.repeat(254)] }, ['Invalid spec.forbiddenSysctls[1]']],
  ['every sysctl and one', { forbiddenSysctls: ['*', 'a.b'] }, ['Forbidden spec.forbiddenSysctls.items']],
  ['any runtime class', { runtimeClass: { allowedRuntimeClassNames: ['*'], defaultRuntimeClassName: 'b' } }, []],
  ['any runtime class and one', { runtimeClass: { allowedRuntimeClassNames: ['*', 'a'] } }, ['Invalid spec.runtimeClass.allowedRuntimeClassNames']],
  ['runtime classes', { runtimeClass: { allowedRuntimeClassNames: ['a', 'a'], defaultRuntimeClassName: 'b' } }, ['Duplicate spec.runtimeClass.allowedRuntimeClassNames[1]', 'Required spec.runtimeClass.allowedRuntimeClassNames']],
];

for (const [title, spec, causes] of created) {
  test(`PodSecurityPolicy: ${title}`, () => assert.deepEqual(write(PodSecurityPolicy, { body: { spec: { ...base, ...spec } } }).causes, causes));
}

test('PodSecurityPolicy: ranges of groups, in words that clients know', () => {
  const said = (runAsGroup: object): readonly string[] => write(PodSecurityPolicy, { body: { spec: { ...base, runAsGroup } } }).messages;
  assert.deepEqual(said({ ...range(1, 2), rule: 'RunAsAny' }), ['Invalid value: []policy.IDRange{policy.IDRange{Min:1, Max:2}}: Ranges must be empty']);
  assert.deepEqual(said({ rule: 'MustRunAs' }), ['Invalid value: []policy.IDRange(nil): must provide at least one range']);
});

test('PodSecurityPolicy: capabilities, runtime classes and profiles that are wrong are shown as clients know them', () => {
  const annotations = { 'apparmor.security.beta.orch.io/defaultProfileName': '\u0001' };
  const spec = { ...base, requiredDropCapabilities: ['\u007f'], allowedCapabilities: ['*'], runtimeClass: { allowedRuntimeClassNames: [], defaultRuntimeClassName: '\u0001' } };
  const { messages } = write(PodSecurityPolicy, { body: { metadata: { annotations }, spec } });
  for (const text of ['invalid AppArmor profile name: "\\x01"', 'Invalid value: []core.Capability{"\\x7f"}: ', 'default "\\x01" must be allowed']) assert.ok(messages.some((message) => message.includes(text)), text);
});

test('PodSecurityPolicy: profiles in annotations', () => {
  const annotations = {
    'apparmor.security.beta.orch.io/allowedProfileNames': 'runtime/default,bogus',
    'seccomp.security.alpha.orch.io/allowedProfileNames': '*,docker/default',
    'seccomp.security.alpha.orch.io/defaultProfileName': 'localhost/../x',
  };
  assert.deepEqual(write(PodSecurityPolicy, { body: { metadata: { annotations }, spec: base } }).causes, [
    'Invalid metadata.annotations[apparmor.security.beta.orch.io/allowedProfileNames]',
    'Invalid metadata.annotations[seccomp.security.alpha.orch.io/defaultProfileName]',
  ]);
});

test('PodSecurityPolicy: escalation is allowed unless it says otherwise; /proc belongs to a feature that is off', () => {
  const { spec } = write(PodSecurityPolicy, { body: { spec: { ...base, allowedProcMountTypes: ['Default'] } } }).object as Policy;
  assert.deepEqual([spec.allowPrivilegeEscalation, spec.allowedProcMountTypes], [true, undefined]);
});

test('PodSecurityPolicy: columns', () => {
  const { object } = write(PodSecurityPolicy, { body: { spec: { ...base, volumes: ['secret', 'nfs'] } } });
  assert.deepEqual(cellsOf(PodSecurityPolicy, object), ['a', 'false', '', 'RunAsAny', 'RunAsAny', 'RunAsAny', 'RunAsAny', false, 'secret,nfs']);
});
