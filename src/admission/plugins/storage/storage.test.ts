import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '#api';
import type { PersistentVolume, PersistentVolumeClaim } from '#kinds';
import { admit, make, refused } from '../../test-support.ts';
import { defaultStorageClass } from './default-storage-class.ts';
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts';
import { persistentVolumeLabel } from './persistent-volume-label.ts';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts';

const claim = (spec: object = {}, metadata: object = {}, status: object = {}): PersistentVolumeClaim =>
  make('PersistentVolumeClaim', 'c', { spec, status }, metadata) as PersistentVolumeClaim;
const storageClass = (name: string, annotations: object = {}, more: object = {}): ApiObject => make('StorageClass', name, more, { annotations });
const one = [storageClass('a', { 'storageclass.orch.io/is-default-class': 'true' }), storageClass('b')];

test('R4.11-12 R4.11-36 DefaultStorageClass: new claims without a class get the default one', async () => {
  assert.equal((await admit(defaultStorageClass, claim(), { known: one })).spec.storageClassName, 'a');
  assert.equal((await admit(defaultStorageClass, claim({ storageClassName: '' }), { known: one })).spec.storageClassName, '');
  const old = claim({}, { annotations: { 'volume.beta.orch.io/storage-class': 'legacy' } });
  assert.equal((await admit(defaultStorageClass, old, { known: one })).spec.storageClassName, undefined);
  const beta = [storageClass('old', { 'storageclass.beta.orch.io/is-default-class': 'true' })];
  assert.equal((await admit(defaultStorageClass, claim(), { known: beta })).spec.storageClassName, 'old');
  assert.equal((await admit(defaultStorageClass, claim(), { known: one, live: claim() })).spec.storageClassName, undefined);
});

test('R4.11-38 DefaultStorageClass: with two default classes a claim that needs one is refused', async () => {
  const known = [...one, storageClass('d', { 'storageclass.orch.io/is-default-class': 'true' })];
  await assert.rejects(admit(defaultStorageClass, claim(), { known }), refused('2 default StorageClasses were found'));
  await admit(defaultStorageClass, claim({ storageClassName: 'x' }), { known });
});

const sized = (storage: string, storageClassName: string, phase = 'Bound'): PersistentVolumeClaim =>
  claim({ storageClassName, resources: { requests: { storage } } }, {}, { phase });

test('R4.11-17 PersistentVolumeClaimResize: a bound claim grows where its class allows it', async () => {
  const known = [storageClass('yes', {}, { allowVolumeExpansion: true }), storageClass('no')];
  const resize = (next: PersistentVolumeClaim, live: PersistentVolumeClaim) => admit(persistentVolumeClaimResize, next, { live, known });
  await resize(sized('2Gi', 'yes'), sized('1Gi', 'yes'));
  await resize(sized('1Gi', 'no'), sized('1024Mi', 'no'));
  await resize(sized('1Gi', 'no'), sized('2Gi', 'no'));
  await assert.rejects(resize(sized('2Gi', 'no'), sized('1Gi', 'no')), refused('only dynamically provisioned pvc can be resized'));
  await assert.rejects(resize(sized('2Gi', 'gone'), sized('1Gi', 'gone')), refused('only dynamically provisioned pvc can be resized'));
  await assert.rejects(resize(sized('2Gi', 'yes'), sized('1Gi', 'no')), refused('only dynamically provisioned pvc can be resized'));
  const marked = (storage: string, name: string, legacy: string): PersistentVolumeClaim => ({ ...sized(storage, name), metadata: { name: 'c', annotations: { 'volume.beta.orch.io/storage-class': legacy } } });
  await resize(marked('2Gi', 'no', 'yes'), marked('1Gi', 'no', 'yes'));
  await assert.rejects(resize(marked('2Gi', 'yes', 'no'), marked('1Gi', 'yes', 'no')), refused('only dynamically provisioned pvc can be resized'));
  await assert.rejects(resize(sized('2Gi', 'yes', 'Pending'), sized('1Gi', 'yes', 'Pending')), refused('Only bound persistent volume claims'));
});

test('StorageObjectInUseProtection: new volumes and claims stay until nobody uses them, each once marked', async () => {
  for (const [kind, finalizer] of [['PersistentVolume', 'orch.io/pv-protection'], ['PersistentVolumeClaim', 'orch.io/pvc-protection']] as const) {
    const finalizersOf = async (finalizers: string[] | undefined, live?: ApiObject): Promise<unknown> =>
      (await admit(storageObjectInUseProtection, make(kind, 'a', { spec: {} }, { finalizers }), live === undefined ? {} : { live })).metadata.finalizers;
    assert.deepEqual(await finalizersOf(undefined), [finalizer]);
    assert.deepEqual(await finalizersOf(['a/b']), ['a/b', finalizer]);
    assert.deepEqual(await finalizersOf([finalizer, 'a/b']), [finalizer, 'a/b']);
    assert.deepEqual(await finalizersOf([], make(kind, 'a')), []);
  }
});

test('PersistentVolumeLabel: who made a volume may say where it is; what only a cloud could tell is refused', async () => {
  const volume = (spec: object, labels: object = {}, annotations: object = {}): PersistentVolume => make('PersistentVolume', 'v', { spec }, { labels, annotations }) as PersistentVolume;
  const labels = { 'topology.orch.io/zone': 'b__a', 'topology.orch.io/region': 'r' };
  const made = { 'pv.orch.io/provisioned-by': 'x' };
  const disk = { gcePersistentDisk: { pdName: 'd' } };
  const words = 'persistentvolumes "v" is forbidden: error querying GCE PD volume d: unable to build GCE cloud provider for PD';
  await assert.rejects(admit(persistentVolumeLabel, volume(disk, labels)), refused(words));
  await assert.rejects(admit(persistentVolumeLabel, volume(disk, {}, made)), refused(words));
  const matchExpressions = [{ key: 'topology.orch.io/zone', operator: 'In', values: ['a', 'b'] }, { key: 'topology.orch.io/region', operator: 'In', values: ['r'] }];
  assert.deepEqual((await admit(persistentVolumeLabel, volume(disk, labels, made))).spec.nodeAffinity, { required: { nodeSelectorTerms: [{ matchExpressions }] } });
  const own = [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }];
  const near = { ...disk, nodeAffinity: { required: { nodeSelectorTerms: own } } };
  assert.deepEqual((await admit(persistentVolumeLabel, volume(near, labels, made))).spec.nodeAffinity?.required?.nodeSelectorTerms, [{ matchExpressions: [...own[0]!.matchExpressions, ...matchExpressions] }]);
  const placed = { ...disk, nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [matchExpressions[1]] }] } } };
  assert.deepEqual((await admit(persistentVolumeLabel, volume(structuredClone(placed), labels, made))).spec.nodeAffinity, placed.nodeAffinity);
  await assert.rejects(admit(persistentVolumeLabel, volume(disk, { ...labels, 'topology.orch.io/zone': 'a__' }, made)), refused('failed to convert label string for Zone: a__ to a Set'));
  await admit(persistentVolumeLabel, volume({ gcePersistentDisk: { pdName: 'placeholder-for-provisioning' } }));
  await admit(persistentVolumeLabel, volume({ nfs: {} }, labels));
  const clouds = [['awsElasticBlockStore', 'volumeID'], ['azureDisk', 'diskName'], ['cinder', 'volumeID'], ['vsphereVolume', 'volumePath']] as const;
  for (const [source, member] of clouds) {
    await assert.rejects(admit(persistentVolumeLabel, volume({ [source]: { [member]: 'd' } })), refused(' d: unable to build '));
    const unmade = admit(persistentVolumeLabel, volume({ [source]: { [member]: 'placeholder-for-provisioning' } }));
    if (source === 'vsphereVolume') await assert.rejects(unmade, refused('placeholder-for-provisioning: unable to build vSphere cloud provider'));
    else await unmade;
  }
  const earlier = { 'failure-domain.beta.orch.io/zone': 'z', 'failure-domain.beta.orch.io/region': 'r__s' };
  assert.deepEqual((await admit(persistentVolumeLabel, volume({ gcePersistentDisk: { pdName: 'd' } }, earlier, made))).spec.nodeAffinity?.required?.nodeSelectorTerms, [
    { matchExpressions: [{ key: 'failure-domain.beta.orch.io/zone', operator: 'In', values: ['z'] }, { key: 'failure-domain.beta.orch.io/region', operator: 'In', values: ['r__s'] }] },
  ]);
  for (const key of Object.keys(labels)) await assert.rejects(admit(persistentVolumeLabel, volume(disk, { [key]: 'x' }, made)), refused(words));
});
