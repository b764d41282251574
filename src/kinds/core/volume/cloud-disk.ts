import { t } from '#schema';
import { LocalObjectReference } from '../pod/local-object-reference.ts';

export class GCEPersistentDiskVolumeSource extends t.message('core/v1.GCEPersistentDiskVolumeSource', {
  pdName: t.string(1).required(),
  fsType: t.string(2),
  partition: t.int32(3),
  readOnly: t.bool(4),
}) {}

export class AWSElasticBlockStoreVolumeSource extends t.message('core/v1.AWSElasticBlockStoreVolumeSource', {
  volumeID: t.string(1).required(),
  fsType: t.string(2),
  partition: t.int32(3),
  readOnly: t.bool(4),
}) {}

export class AzureDiskVolumeSource extends t.message('core/v1.AzureDiskVolumeSource', {
  diskName: t.string(1).required(),
  diskURI: t.string(2).required(),
  cachingMode: t.maybe.string(3).default('ReadWrite'),
  fsType: t.maybe.string(4).default('ext4'),
  readOnly: t.maybe.bool(5).default(false),
  kind: t.maybe.string(6).default('Shared'),
}) {}

export class AzureFileVolumeSource extends t.message('core/v1.AzureFileVolumeSource', {
  secretName: t.string(1).required(),
  shareName: t.string(2).required(),
  readOnly: t.bool(3),
}) {}

export class CinderVolumeSource extends t.message('core/v1.CinderVolumeSource', {
  volumeID: t.string(1).required(),
  fsType: t.string(2),
  readOnly: t.bool(3),
  secretRef: t.perhaps(4, LocalObjectReference),
}) {}

export class VsphereVirtualDiskVolumeSource extends t.message('core/v1.VsphereVirtualDiskVolumeSource', {
  volumePath: t.string(1).required(),
  fsType: t.string(2),
  storagePolicyName: t.string(3),
  storagePolicyID: t.string(4),
}) {}

export class PhotonPersistentDiskVolumeSource extends t.message('core/v1.PhotonPersistentDiskVolumeSource', {
  pdID: t.string(1).required(),
  fsType: t.string(2),
}) {}
