import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '#api';
import { admit, make, pod, refused } from '../../../test-support.ts';
import { limitRanger } from './index.ts';

const named = (name: string, namespace: string, ...limits: object[]): ApiObject => make('LimitRange', name, { spec: { limits } }, { namespace });
const range = (...limits: object[]): ApiObject => named('l', 'n', ...limits);
const container = (requests?: object, limits?: object, name = 'c'): object => ({ name, resources: { ...(requests && { requests }), ...(limits && { limits }) } });
const using = (requests?: object, limits?: object) => pod({ containers: [container(requests, limits)] });
const claim = (storage?: string): ApiObject =>
  make('PersistentVolumeClaim', 'c', { spec: { resources: storage === undefined ? {} : { requests: { storage } } } });

test('R4.11-14 LimitRanger: containers get what they do not say, and the pod says so', async () => {
  const known = [range({ type: 'Container', default: { cpu: '1', memory: '1Gi' }, defaultRequest: { cpu: '500m', memory: '1Gi' } })];
  const object = pod({ containers: [container({ cpu: '1m' }), container(undefined, { cpu: '9' }, 'd')], initContainers: [container(undefined, undefined, 'i')] });
  const { spec, metadata } = await admit(limitRanger, object, { known });
  assert.deepEqual(spec.containers?.map(({ resources }) => resources), [
    { requests: { cpu: '1m', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } },
    { requests: { cpu: '500m', memory: '1Gi' }, limits: { cpu: '9', memory: '1Gi' } },
  ]);
  assert.deepEqual(metadata.annotations, {
    'orch.io/limit-ranger':
      'LimitRanger plugin set: memory request for container c; cpu, memory limit for container c; cpu, memory request for container d; ' +
      'memory limit for container d; cpu, memory request for init container i; cpu, memory limit for init container i',
  });
  assert.deepEqual(await admit(limitRanger, pod(), { known, namespace: 'other' }), pod());
  assert.deepEqual(await admit(limitRanger, pod(), { known, live: pod() }), pod());
});

test('R4.11-14 LimitRanger: defaults are those of containers; of several ranges the first by name fills in what is not said', async () => {
  const others = range({ type: 'Pod', default: { cpu: '1' } }, { type: 'PersistentVolumeClaim', defaultRequest: { storage: '1Gi' } });
  assert.deepEqual(await admit(limitRanger, using({ cpu: '1' }), { known: [others] }), using({ cpu: '1' }));
  for (const order of [['b', 'a', 'c'], ['c', 'a', 'b'], ['a', 'b', 'c']]) {
    const known = order.map((name) => named(name, 'n', { type: 'Container', default: { cpu: name.charCodeAt(0).toString(), [name]: '1' } }));
    const { spec } = await admit(limitRanger, using(), { known });
    assert.deepEqual(spec.containers?.[0]?.resources.limits, { cpu: '97', a: '1', b: '1', c: '1' });
  }
  const full = (): ReturnType<typeof using> => using(undefined, { cpu: '9' });
  assert.deepEqual(await admit(limitRanger, full(), { known: [range({ type: 'Container', default: { cpu: '1' } })] }), full());
});

test('LimitRanger: every range of a namespace holds for as long as it is there', async () => {
  const most = (name: string, cpu: string, namespace = 'n'): ApiObject => named(name, namespace, { type: 'Container', max: { cpu } });
  const [low, high, elsewhere] = [most('low', '1'), most('high', '3'), most('low', '9m', 'other')];
  const asked = (cpu: string, known: readonly ApiObject[], gone: readonly ApiObject[] = []): Promise<object> => admit(limitRanger, using({ cpu }, { cpu }), { known, gone });
  for (const known of [[low, high, elsewhere], [high, elsewhere, low]]) await assert.rejects(asked('2', known), refused('maximum cpu usage per Container is 1, but limit is 2'));
  await asked('2', [high, elsewhere], [low]);
  await assert.rejects(asked('4', [high], [low]), refused('maximum cpu usage per Container is 3, but limit is 4'));
  await asked('4', [], [low, high]);
  await assert.rejects(asked('2', [low], [elsewhere]), refused('maximum cpu usage per Container is 1, but limit is 2'));
});

/** Bounds, what is asked for, and what is wrong with it. */
const FAULTS: readonly (readonly [item: object, object: ApiObject, words: string | undefined])[] = [
  [{ type: 'Container', min: { cpu: '1' } }, using({ cpu: '1' }), undefined],
  [{ type: 'Container', min: { cpu: '1' } }, using(), 'minimum cpu usage per Container is 1.  No request is specified'],
  [{ type: 'Container', min: { cpu: '1' } }, using({ cpu: '999m' }), 'minimum cpu usage per Container is 1, but request is 999m'],
  [{ type: 'Container', min: { cpu: '1' } }, using({ cpu: '1' }, { cpu: '10m' }), 'minimum cpu usage per Container is 1, but limit is 10m'],
  [{ type: 'Container', min: { cpu: '1' } }, using({ cpu: '1' }, { cpu: '1' }), undefined],
  [{ type: 'Container', min: { cpu: '1n' } }, using({ cpu: '1m' }), undefined],
  [{ type: 'Container', max: { cpu: '1m' } }, using(undefined, { cpu: '1001u' }), 'maximum cpu usage per Container is 1m, but limit is 1001u'],
  [{ type: 'Container', max: { cpu: '1' } }, pod({ containers: [container(undefined, { cpu: '1' })], initContainers: [container(undefined, { cpu: '2' }, 'i')] }), 'maximum cpu usage per Container is 1, but limit is 2'],
  [{ type: 'Container', max: { cpu: '1' } }, using({ cpu: '1' }, { cpu: '1' }), undefined],
  [{ type: 'Container', max: { memory: '1Gi' } }, using(undefined, { memory: '1024Mi' }), undefined],
  [{ type: 'Container', max: { memory: '1Gi' } }, using(), 'maximum memory usage per Container is 1Gi.  No limit is specified'],
  [{ type: 'Container', max: { memory: '1Gi' } }, using(undefined, { memory: '2Gi' }), 'maximum memory usage per Container is 1Gi, but limit is 2Gi'],
  [{ type: 'Container', max: { memory: '1Gi' } }, using({ memory: '2Gi' }, { memory: '1Gi' }), 'maximum memory usage per Container is 1Gi, but request is 2Gi'],
  [{ type: 'Container', maxLimitRequestRatio: { cpu: '2' } }, using({ cpu: '500m' }, { cpu: '1' }), undefined],
  [{ type: 'Container', maxLimitRequestRatio: { cpu: '7' } }, using({ cpu: '5m' }, { cpu: '35m' }), undefined],
  [{ type: 'Container', maxLimitRequestRatio: { cpu: '1100m' } }, using({ cpu: '10m' }, { cpu: '11m' }), undefined],
  [{ type: 'Container', maxLimitRequestRatio: { cpu: '2' } }, using(undefined, { cpu: '1' }), 'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0'],
  [{ type: 'Container', maxLimitRequestRatio: { cpu: '2' } }, using({ cpu: '1' }), 'cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0'],
  [{ type: 'Container', maxLimitRequestRatio: { cpu: '2' } }, using({ cpu: '300m' }, { cpu: '1' }), 'cpu max limit to request ratio per Container is 2, but provided ratio is 3.333333'],
  [{ type: 'Container', maxLimitRequestRatio: { cpu: '2' } }, using({ cpu: '0' }, { cpu: '1' }), 'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0'],
  [{ type: 'Container', maxLimitRequestRatio: { cpu: '2' } }, using({ cpu: '1' }, { cpu: '0' }), 'cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0'],
  [{ type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }, using(), undefined],
  [{ type: 'Pod', max: { cpu: '2' } }, pod({ containers: [container(undefined, { cpu: '1' })], initContainers: [container(undefined, { cpu: '2' }, 'i'), container(undefined, { cpu: '1' }, 'j')] }), undefined],
  [{ type: 'Pod', max: { gpu: '2' } }, pod({ initContainers: [container(undefined, { gpu: '3' }, 'i'), container(undefined, { gpu: '1' }, 'j')] }), 'maximum gpu usage per Pod is 2, but limit is 3'],
  [{ type: 'Pod', max: { cpu: '2' } }, pod({ containers: [container(undefined, { cpu: '1999500u' }), container(undefined, { cpu: '400u' }, 'd')] }), 'maximum cpu usage per Pod is 2, but limit is 2001m'],
  [{ type: 'Pod', max: { cpu: '2' } }, pod({ containers: [container(undefined, { cpu: '1' }), container(undefined, { cpu: '1500m' }, 'd')] }), 'maximum cpu usage per Pod is 2, but limit is 2500m'],
  [{ type: 'Pod', max: { memory: '1Gi' } }, pod({ containers: [container(undefined, { memory: '2Gi' })] }), 'maximum memory usage per Pod is 1Gi, but limit is 2147483648'],
  [{ type: 'Pod', max: { memory: '1Gi' } }, pod({ containers: [container(undefined, { memory: '1Gi' })], initContainers: [container(undefined, { memory: '2Gi' })] }), 'maximum memory usage per Pod is 1Gi, but limit is 2Gi'],
  [{ type: 'Pod', max: { memory: '1Mi' } }, pod({ containers: [container(undefined, { memory: '1Gi' })], initContainers: [container(undefined, { memory: '1Gi' })] }), 'maximum memory usage per Pod is 1Mi, but limit is 1073741824'],
  [{ type: 'Pod', max: { cpu: '2' } }, pod({ containers: [container(undefined, { cpu: '1' }), container()] }), 'maximum cpu usage per Pod is 2.  No limit is specified'],
  [{ type: 'Pod', max: { cpu: '2' } }, pod({ containers: [container(undefined, { cpu: '1' })], initContainers: [container(undefined, { cpu: '3' })] }), 'maximum cpu usage per Pod is 2, but limit is 3'],
  [{ type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } }, claim('1Gi'), undefined],
  [{ type: 'PersistentVolumeClaim', min: { storage: '1Gi' } }, claim(), 'minimum storage usage per PersistentVolumeClaim is 1Gi.  No request is specified'],
  [{ type: 'PersistentVolumeClaim', min: { storage: '1Gi' } }, claim('1Mi'), 'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi'],
  [{ type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }, claim(), 'maximum storage usage per PersistentVolumeClaim is 1Gi.  No request is specified'],
  [{ type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }, claim('2Gi'), 'maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi'],
];

for (const [item, object, words] of FAULTS) {
  test(`R4.11-14 LimitRanger: ${words ?? `${JSON.stringify(item)} is kept`}`, async () => {
    const asked = admit(limitRanger, object, { known: [range(item)] });
    if (words === undefined) await asked;
    else await assert.rejects(asked, refused(`is forbidden: ${words}`));
  });
}

test('LimitRanger: a range that comes later does not stop changes of the pods that are there', async () => {
  const known = [range({ type: 'Container', max: { cpu: '1' }, min: { memory: '1Gi' } }, { type: 'Pod', max: { cpu: '1' } })];
  const labelled = { ...using({ cpu: '2' }, { cpu: '2' }), metadata: { name: 'p', labels: { l: 'x' } } };
  assert.deepEqual(await admit(limitRanger, labelled, { known, live: using({ cpu: '2' }, { cpu: '2' }) }), labelled);
});

test('LimitRanger: of a pod as large as a body allows not every container is asked for the resources of every other', async () => {
  const known = [range({ type: 'Pod', max: { cpu: '1' } })];
  const containers = Array.from({ length: 40_000 }, (_, n) => container(undefined, { [`r${n}`]: '1' }));
  await assert.rejects(admit(limitRanger, pod({ containers }), { known }), refused('maximum cpu usage per Pod is 1.  No limit is specified'));
});

test('LimitRanger: all faults at once', async () => {
  const known = [range({ type: 'Container', max: { cpu: '1' } }, { type: 'Pod', max: { cpu: '1500m' } })];
  const words = 'pods "p" is forbidden: [maximum cpu usage per Container is 1, but limit is 2, maximum cpu usage per Pod is 1500m, but limit is 2]';
  await assert.rejects(admit(limitRanger, using(undefined, { cpu: '2' }), { known }), refused(words));
});

test('LimitRanger: claims that grow are bounded, claims on their way out are not', async () => {
  const known = [range({ type: 'PersistentVolumeClaim', max: { storage: '1Gi' } })];
  await assert.rejects(admit(limitRanger, claim('2Gi'), { known, live: claim('1Gi') }), refused('but request is 2Gi'));
  const going = { ...claim('2Gi'), metadata: { name: 'c', deletionTimestamp: '2020-01-01T00:00:00Z' } };
  await admit(limitRanger, going, { known, live: claim('2Gi') });
});
