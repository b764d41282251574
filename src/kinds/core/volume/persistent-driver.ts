import { stringScalar, t } from '#schema';
import { ObjectReference } from '../object-reference.ts';
import { SecretReference } from './secret-reference.ts';

export class FlexPersistentVolumeSource extends t.message('core/v1.FlexPersistentVolumeSource', {
  driver: t.string(1).required(),
  fsType: t.string(2),
  secretRef: t.perhaps(3, SecretReference),
  readOnly: t.bool(4),
  options: t.map(5, stringScalar),
}) {}

export class LocalVolumeSource extends t.message('core/v1.LocalVolumeSource', {
  path: t.string(1).required(),
  fsType: t.maybe.string(2),
}) {}

export class StorageOSPersistentVolumeSource extends t.message('core/v1.StorageOSPersistentVolumeSource', {
  volumeName: t.string(1),
  volumeNamespace: t.string(2),
  fsType: t.string(3),
  readOnly: t.bool(4),
  secretRef: t.perhaps(5, ObjectReference),
}) {}

export class CSIPersistentVolumeSource extends t.message('core/v1.CSIPersistentVolumeSource', {
  driver: t.string(1).required(),
  volumeHandle: t.string(2).required(),
  readOnly: t.bool(3),
  fsType: t.string(4),
  volumeAttributes: t.map(5, stringScalar),
  controllerPublishSecretRef: t.perhaps(6, SecretReference),
  nodeStageSecretRef: t.perhaps(7, SecretReference),
  nodePublishSecretRef: t.perhaps(8, SecretReference),
  controllerExpandSecretRef: t.perhaps(9, SecretReference),
}) {}
