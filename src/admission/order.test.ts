import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOrder, orderedPlugins } from './order.ts';
import type { AdmissionPlugin } from './plugin.ts';

/** The order of kube-apiserver 1.23; the two plugins that it no longer has stand where they stood. */
const ORDER = [
  'AlwaysAdmit',
  'NamespaceAutoProvision',
  'NamespaceLifecycle',
  'NamespaceExists',
  'SecurityContextDeny',
  'LimitPodHardAntiAffinityTopology',
  'LimitRanger',
  'ServiceAccount',
  'NodeRestriction',
  'TaintNodesByCondition',
  'AlwaysPullImages',
  'ImagePolicyWebhook',
  'PodSecurity',
  'PodSecurityPolicy',
  'PodNodeSelector',
  'Priority',
  'DefaultTolerationSeconds',
  'PodTolerationRestriction',
  'DenyEscalatingExec',
  'DenyExecOnPrivileged',
  'EventRateLimit',
  'ExtendedResourceToleration',
  'PersistentVolumeLabel',
  'DefaultStorageClass',
  'StorageObjectInUseProtection',
  'OwnerReferencesPermissionEnforcement',
  'PersistentVolumeClaimResize',
  'RuntimeClass',
  'CertificateApproval',
  'CertificateSigning',
  'CertificateSubjectRestriction',
  'DefaultIngressClass',
  'DenyServiceExternalIPs',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionWebhook',
  'ResourceQuota',
  'AlwaysDeny',
];

const DEFAULT = [
  'NamespaceLifecycle',
  'LimitRanger',
  'ServiceAccount',
  'TaintNodesByCondition',
  'PodSecurity',
  'Priority',
  'DefaultTolerationSeconds',
  'DefaultStorageClass',
  'StorageObjectInUseProtection',
  'PersistentVolumeClaimResize',
  'RuntimeClass',
  'CertificateApproval',
  'CertificateSigning',
  'CertificateSubjectRestriction',
  'DefaultIngressClass',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionWebhook',
  'ResourceQuota',
];

const there = orderedPlugins();
const isThere = (name: string): boolean => there.some((plugin) => plugin.name === name);

test('R4.11-06 plugins run in a fixed order, whatever the order in which they are switched on', () => {
  assert.deepEqual(there.map(({ name }) => name), ORDER.filter(isThere));
});

test('R4.11-07 R4.11-08 R4.11-09 R4.11-10 R4.11-11 R4.11-12 R4.11-14 R4.11-15 R4.11-16 R4.11-17 R4.11-18 R4.11-19 R4.11-20 R4.11-21 R4.11-22 R4.11-23 R4.11-24 R4.11-25 the default ones, and no others', () => {
  assert.deepEqual(there.filter(({ enabled }) => enabled).map(({ name }) => name), DEFAULT.filter(isThere));
});

const named = (name: string, band: AdmissionPlugin['band'], after: readonly string[] = []): AdmissionPlugin => ({ name, enabled: true, band, after, create: () => ({ on: [] }) });

test('a plugin runs after those it names, in its band; those that are not there do not matter', () => {
  const plugins = [named('z', 'builtin'), named('final', 'final'), named('a', 'builtin', ['z', 'nobody']), named('quota', 'quota'), named('b', 'builtin')];
  assert.deepEqual(inOrder(plugins).map(({ name }) => name), ['b', 'z', 'a', 'quota', 'final']);
});

test('plugins that wait for each other are no order', () => {
  assert.throws(() => inOrder([named('a', 'builtin', ['b']), named('b', 'builtin', ['a'])]), /wait for each other: a, b/);
});
