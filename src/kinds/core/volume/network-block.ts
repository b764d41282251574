import { t } from '#schema';
import { LocalObjectReference } from '../pod/local-object-reference.ts';

export class ISCSIVolumeSource extends t.message('core/v1.ISCSIVolumeSource', {
  targetPortal: t.string(1).required(),
  iqn: t.string(2).required(),
  lun: t.int32(3).required(),
  iscsiInterface: t.string(4).default('default'),
  fsType: t.string(5),
  readOnly: t.bool(6),
  portals: t.strings(7),
  chapAuthDiscovery: t.bool(8),
  chapAuthSession: t.bool(11),
  secretRef: t.perhaps(10, LocalObjectReference),
  initiatorName: t.maybe.string(12),
}) {}

export class FCVolumeSource extends t.message('core/v1.FCVolumeSource', {
  targetWWNs: t.strings(1),
  lun: t.maybe.int32(2),
  fsType: t.string(3),
  readOnly: t.bool(4),
  wwids: t.strings(5),
}) {}

export class RBDVolumeSource extends t.message('core/v1.RBDVolumeSource', {
  monitors: t.strings(1).required(),
  image: t.string(2).required(),
  fsType: t.string(3),
  pool: t.string(4).default('rbd'),
  user: t.string(5).default('admin'),
  keyring: t.string(6).default('/etc/ceph/keyring'),
  secretRef: t.perhaps(7, LocalObjectReference),
  readOnly: t.bool(8),
}) {}

export class ScaleIOVolumeSource extends t.message('core/v1.ScaleIOVolumeSource', {
  gateway: t.string(1).required(),
  system: t.string(2).required(),
  secretRef: t.perhaps(3, LocalObjectReference).required(),
  sslEnabled: t.bool(4),
  protectionDomain: t.string(5),
  storagePool: t.string(6),
  storageMode: t.string(7).default('ThinProvisioned'),
  volumeName: t.string(8),
  fsType: t.string(9).default('xfs'),
  readOnly: t.bool(10),
}) {}

export class StorageOSVolumeSource extends t.message('core/v1.StorageOSVolumeSource', {
  volumeName: t.string(1),
  volumeNamespace: t.string(2),
  fsType: t.string(3),
  readOnly: t.bool(4),
  secretRef: t.perhaps(5, LocalObjectReference),
}) {}

export class PortworxVolumeSource extends t.message('core/v1.PortworxVolumeSource', {
  volumeID: t.string(1).required(),
  fsType: t.string(2),
  readOnly: t.bool(3),
}) {}
