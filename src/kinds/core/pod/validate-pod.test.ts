import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import { FieldErrors } from '#errors';
import { podRulesOf } from './pod-rules.ts';
import { container, templateOf } from './test-support.ts';
import { validatePod } from './validate-pod.ts';

function faultsOf(next: object, live?: object, annotations: readonly [next: object, live: object] = [{}, {}]): readonly string[] {
  const at = new FieldErrors();
  const podOf = (spec: object, of: object): ReturnType<typeof templateOf> => templateOf(spec, { name: 'p', annotations: of });
  const before = live && podOf(live, annotations[1]);
  validatePod(podOf(next, annotations[0]), before, at, podRulesOf({ brand: brandOf('orch'), subresource: '', nowMs: 0 }, before));
  return [...new Set(at.causes.map((cause) => `${cause.reason?.replace('FieldValue', '')} ${cause.field ?? ''}`))];
}

const token = { name: 't', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } };

test('a new pod: what templates need not keep to', () => {
  assert.deepEqual(faultsOf({}), []);
  assert.deepEqual(faultsOf({ containers: [container({ image: ' img' })] }), ['Invalid spec.containers[0].image']);
  // White space by Unicode, not by JavaScript.
  assert.deepEqual(faultsOf({ containers: [container({ image: 'img\u0085' }), container({ name: 'd', image: '\ufeffimg' })] }), ['Invalid spec.containers[0].image']);
  assert.deepEqual(faultsOf({ initContainers: [container({ name: 'i', image: 'img ' })] }), ['Invalid spec.initContainers[0].image']);
  assert.deepEqual(faultsOf({ volumes: [{ name: 't', projected: { sources: [{ secret: { name: 's' } }] } }] }), []);
  assert.deepEqual(faultsOf({ volumes: [token] }), ['Forbidden spec.volumes[0].projected.sources[0].serviceAccountToken']);
  assert.deepEqual(faultsOf({ volumes: [token], serviceAccountName: 'a' }), []);
  assert.deepEqual(faultsOf({ volumes: [token], containers: [container({ image: ' img' })] }), [
    'Forbidden spec.volumes[0].projected.sources[0].serviceAccountToken',
    'Invalid spec.containers[0].image',
  ]);
  assert.deepEqual(faultsOf({ ephemeralContainers: [container({ name: 'e' })] }), ['Forbidden spec.ephemeralContainers']);
  const unconfined = { 'seccomp.security.alpha.orch.io/pod': 'unconfined' };
  const profile = (type: string): readonly string[] => faultsOf({ securityContext: { seccompProfile: { type } } }, undefined, [unconfined, {}]);
  assert.deepEqual([profile('Unconfined'), profile('RuntimeDefault')], [[], ['Forbidden spec.securityContext.seccompProfile.type']]);
  const both = { ephemeralContainers: [container({ name: 'e' })], securityContext: { seccompProfile: { type: 'RuntimeDefault' } } };
  assert.deepEqual(faultsOf(both, undefined, [unconfined, {}]), ['Forbidden spec.ephemeralContainers', 'Forbidden spec.securityContext.seccompProfile.type']);
});

const updates: readonly (readonly [next: object, live: object, faults: readonly string[]])[] = [
  [{ containers: [container({ image: 'img:2' })] }, { containers: [container({ image: 'img:1' })] }, []],
  [{ containers: [container(), container({ name: 'd' })] }, {}, ['Forbidden spec.containers']],
  [{ containers: [container({ workingDir: '/x' })] }, {}, ['Forbidden spec']],
  [{ containers: [container({ resources: { limits: { memory: '1Gi' } } })] }, { containers: [container({ resources: { limits: { memory: '1073741824' } } })] }, []],
  [{ containers: [container({ resources: { limits: { memory: '1Gi' } } })] }, { containers: [container({ resources: { limits: { memory: '1G' } } })] }, ['Forbidden spec']],
  [{ activeDeadlineSeconds: 5 }, {}, []],
  [{ activeDeadlineSeconds: 5 }, { activeDeadlineSeconds: 9 }, []],
  [{ activeDeadlineSeconds: 5 }, { activeDeadlineSeconds: 5 }, []],
  [{ activeDeadlineSeconds: 5, hostNetwork: true }, { activeDeadlineSeconds: 9 }, ['Forbidden spec']],
  [{ activeDeadlineSeconds: 5, hostNetwork: true }, {}, ['Forbidden spec']],
  [{ activeDeadlineSeconds: 9 }, { activeDeadlineSeconds: 5 }, ['Invalid spec.activeDeadlineSeconds']],
  [{}, { activeDeadlineSeconds: 5 }, ['Invalid spec.activeDeadlineSeconds']],
  [{ tolerations: [{ key: 'a' }, { key: 'b' }] }, { tolerations: [{ key: 'a' }] }, []],
  [{ tolerations: [{ key: 'b' }] }, { tolerations: [{ key: 'a' }] }, ['Forbidden spec.tolerations']],
  [{ terminationGracePeriodSeconds: 1 }, { terminationGracePeriodSeconds: -5 }, []],
  [{ terminationGracePeriodSeconds: 1 }, { terminationGracePeriodSeconds: 5 }, ['Forbidden spec']],
  [{ terminationGracePeriodSeconds: 1 }, { terminationGracePeriodSeconds: 0 }, ['Forbidden spec']],
  [{ terminationGracePeriodSeconds: 3 }, { terminationGracePeriodSeconds: -5 }, ['Forbidden spec']],
];

test('a pod that is there changes little', () => {
  for (const [next, live, faults] of updates) assert.deepEqual(faultsOf(next, live), faults, JSON.stringify([next, live]));
});

test('whether tolerations are kept costs what both lists hold, not their product', (context) => {
  const tolerations = Array.from({ length: 2000 }, (_, at) => ({ key: `k${at}`, operator: 'Exists' }));
  // What compares objects member by member lists their members.
  const comparisons = context.mock.method(Object, 'keys');
  assert.deepEqual(faultsOf({ tolerations: [{ key: 'more', operator: 'Exists' }, ...tolerations] }, { tolerations }), []);
  assert.ok(comparisons.mock.callCount() < 20 * tolerations.length, String(comparisons.mock.callCount()));
});

test('what may change of a pod is held to its rules twice, and faults are named as often', () => {
  const causesOf = (next: object, live = {}): readonly (string | undefined)[] => {
    const at = new FieldErrors();
    const rules = { brand: brandOf('orch'), allowsPrivileged: false };
    validatePod(templateOf(next, { name: 'p' }), templateOf(live, { name: 'p' }), at, rules);
    return at.causes.map(({ field }) => field);
  };
  assert.deepEqual(causesOf({ containers: [container({ image: ' img' })] }), ['spec.containers[0].image', 'spec.containers[0].image']);
  const two = (...images: readonly string[]): object => ({ containers: images.map((image, at) => container({ name: `c${at}`, image, imagePullPolicy: 'Never' })) });
  const [first, second] = ['spec.containers[0].image', 'spec.containers[1].image'];
  assert.deepEqual(causesOf(two(' img', ''), two('img', 'img')), [second, first, first, second]);
  assert.deepEqual(causesOf({ tolerations: [{ key: ' ', operator: 'Exists' }] }), ['spec.tolerations[0].key', 'spec.tolerations[0].key']);
});

test('annotations that a node has read stay', () => {
  const keys = [['container.apparmor.security.beta.orch.io/c', 'unconfined', 'runtime/default'], ['orch.io/config.mirror', 'a', 'b']] as const;
  for (const [key, value, other] of keys) {
    const faults = (next: object, live: object): readonly string[] => faultsOf({ nodeName: 'n' }, { nodeName: 'n' }, [next, live]);
    const refused = [`Forbidden metadata.annotations[${key}]`];
    assert.deepEqual(faults({ [key]: value }, {}), refused);
    assert.deepEqual(faults({}, { [key]: value }), refused);
    assert.deepEqual(faults({ [key]: other }, { [key]: value }), refused);
    assert.deepEqual(faults({ [key]: value, more: 'x' }, { [key]: value }), []);
  }
});

test('tolerations of old, in an annotation, are held to the rules of tolerations', () => {
  const key = 'scheduler.alpha.orch.io/tolerations';
  const faults = (value: string): readonly string[] => faultsOf({}, undefined, [{ [key]: value }, {}]);
  assert.deepEqual(faults(JSON.stringify([{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }])), []);
  assert.deepEqual(faults(JSON.stringify([{ Key: 'a', Operator: 'Perhaps' }])), [`NotSupported metadata.annotations.${key}[0].operator`]);
  assert.deepEqual(faults('[{}]'), [`Invalid metadata.annotations.${key}[0].operator`]);
  assert.deepEqual(faults('{'), ['Invalid metadata.annotations']);
  assert.deepEqual([faults(''), faults('null')], [[], []]);
});

test('what a deletion costs is a 32-bit integer', () => {
  const key = 'controller.orch.io/pod-deletion-cost';
  const isCost = (text: string): boolean => faultsOf({}, {}, [{ [key]: text }, {}]).length === 0;
  assert.deepEqual(['0', '7', '-7', '-0', '-007', '2147483647', '-2147483648'].filter((text) => !isCost(text)), []);
  assert.deepEqual(['', '+7', '007', '7.0', ' 7', '-', '1e3', '2147483648', '-2147483649', '9'.repeat(400)].filter(isCost), []);
});

test('what a deletion costs may stay wrong, and not become so', () => {
  const key = 'controller.orch.io/pod-deletion-cost';
  const faults = (next: string, live: string): readonly string[] => faultsOf({}, {}, [{ [key]: next }, { [key]: live }]);
  assert.deepEqual(faults('much', '1'), [`Invalid metadata.annotations[${key}]`]);
  assert.deepEqual(faults('more', 'much'), []);
});
