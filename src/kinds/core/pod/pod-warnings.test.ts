import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, type Dialect } from '#api';
import { podWarnings } from './pod-warnings.ts';
import { container, templateOf } from './test-support.ts';

const warningsOf = (spec: object, metadata: object = {}, dialect: Dialect = 'orch'): readonly string[] =>
  podWarnings(templateOf(spec, metadata), 'spec.template', brandOf(dialect));

const NODES = 'affinity.nodeAffinity';
const ofOldLabel = { matchExpressions: [{ key: 'new', operator: 'Exists' }, { key: 'beta.orch.io/arch', operator: 'Exists' }] };

const rows: readonly (readonly [spec: object, places: readonly string[]])[] = [
  [{}, []],
  [{ nodeSelector: { 'beta.orch.io/os': 'linux', 'beta.kubernetes.io/os': 'linux' } }, ['nodeSelector[beta.orch.io/os]']],
  [
    { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{}, ofOldLabel] }, preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: ofOldLabel }] } } },
    [`${NODES}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[1].matchExpressions[1].key`, `${NODES}.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[1].key`],
  ],
  [{ volumes: [{ name: 'a', gitRepo: { repository: 'r' } }, { name: 'a' }] }, ['volumes[0].gitRepo', 'volumes[1].name']],
  [{ imagePullSecrets: [{ name: 'a' }, { name: 'a' }, {}] }, ['imagePullSecrets[1].name', 'imagePullSecrets[2].name']],
  [{ hostAliases: [{ ip: '1.1.1.1' }, { ip: '1.1.1.1' }] }, ['hostAliases[1].ip']],
  [{ overhead: { memory: '0.5' } }, ['overhead[memory]']],
  [{ containers: [container({ env: [{ name: 'A' }, { name: 'A' }] })] }, ['containers[0].env[1].name']],
  [{ containers: [container({ resources: { limits: { memory: '1.5', cpu: '1.5' } } })] }, ['containers[0].resources.limits[memory]']],
  [
    { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'failure-domain.beta.orch.io/zone', whenUnsatisfiable: 'ScheduleAnyway' }] },
    ['topologySpreadConstraints[0].topologyKey'],
  ],
];

test('what is accepted and still not good is said, with its place', () => {
  for (const [spec, places] of rows) {
    const found = warningsOf(spec).map((text) => text.slice(0, text.indexOf(': ')));
    assert.deepEqual(found, places.map((place) => `spec.template.spec.${place}`), JSON.stringify(spec));
  }
});

test('old volumes say when they go, one of them in a spelling of its own', () => {
  const volumes = [{ name: 'a', flocker: { datasetName: 'd' } }, { name: 'b', storageos: { volumeName: 'v' } }, { name: 'c', quobyte: { registry: 'r:1', volume: 'v' } }];
  const why = 'deprecated in v1.22, support removal is planned in v1.26';
  const places = ['volumes[0].flocker', 'volumes[1].storageOS', 'volumes[2].quobyte'];
  assert.deepEqual(warningsOf({ volumes }), places.map((place) => `spec.template.spec.${place}: ${why}`));
});

test('advice names what to use instead, as the dialect spells it', () => {
  assert.deepEqual(warningsOf({ nodeSelector: { 'beta.kubernetes.io/os': 'linux' } }, {}, 'kubernetes'), [
    'spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
  ]);
  const metadata = { annotations: { 'seccomp.security.alpha.orch.io/pod': 'unconfined' } };
  assert.equal(warningsOf({}, metadata).length, 1);
  assert.equal(warningsOf({ securityContext: { seccompProfile: { type: 'Unconfined' } } }, metadata).length, 0);
});

test('warnings stand in the order in which 1.23 gives them', () => {
  const annotations = { 'seccomp.security.alpha.orch.io/pod': 'unconfined', 'container.seccomp.security.alpha.orch.io/c': 'unconfined', 'security.alpha.orch.io/sysctls': '' };
  const found = warningsOf({ volumes: [{ name: 'a', gitRepo: { repository: 'r' } }], overhead: { memory: '0.5' }, containers: [container({ resources: { limits: { memory: '1.5' } } })] }, { annotations });
  assert.deepEqual(found.map((text) => text.slice('spec.template.'.length, text.indexOf(': '))), [
    'metadata.annotations[security.alpha.orch.io/sysctls]',
    'spec.volumes[0].gitRepo',
    'spec.overhead[memory]',
    'metadata.annotations[seccomp.security.alpha.orch.io/pod]',
    'metadata.annotations[container.seccomp.security.alpha.orch.io/c]',
    'spec.containers[0].resources.limits[memory]',
  ]);
});

test('names are quoted so that no character of them is lost on the way, as 1.23 quotes them', () => {
  assert.deepEqual(warningsOf({ imagePullSecrets: [{ name: 'a\u007f\u0001é"' }, { name: 'a\u007f\u0001é"' }] }), [
    String.raw`spec.template.spec.imagePullSecrets[1].name: duplicate name "a\x7f\x01é\""`,
  ]);
});
