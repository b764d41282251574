import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '#api';
import type { PersistentVolumeClaim } from '#kinds';
import { admit, make, refused } from '../../test-support.ts';
import { defaultStorageClass } from './default-storage-class.ts';
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts';

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
  await assert.rejects(resize(sized('2Gi', 'yes', 'Pending'), sized('1Gi', 'yes', 'Pending')), refused('Only bound persistent volume claims'));
});
