import { t } from '#schema';
import { SecretReference } from './secret-reference.ts';

export class GlusterfsPersistentVolumeSource extends t.message('core/v1.GlusterfsPersistentVolumeSource', {
  endpoints: t.string(1).required(),
  path: t.string(2).required(),
  readOnly: t.bool(3),
  endpointsNamespace: t.maybe.string(4),
}) {}

export class RBDPersistentVolumeSource extends t.message('core/v1.RBDPersistentVolumeSource', {
  monitors: t.strings(1).required(),
  image: t.string(2).required(),
  fsType: t.string(3),
  pool: t.string(4).default('rbd'),
  user: t.string(5).default('admin'),
  keyring: t.string(6).default('/etc/ceph/keyring'),
  secretRef: t.perhaps(7, SecretReference),
  readOnly: t.bool(8),
}) {}

export class ISCSIPersistentVolumeSource extends t.message('core/v1.ISCSIPersistentVolumeSource', {
  targetPortal: t.string(1).required(),
  iqn: t.string(2).required(),
  lun: t.int32(3).required(),
  iscsiInterface: t.string(4).default('default'),
  fsType: t.string(5),
  readOnly: t.bool(6),
  portals: t.strings(7),
  chapAuthDiscovery: t.bool(8),
  chapAuthSession: t.bool(11),
  secretRef: t.perhaps(10, SecretReference),
  initiatorName: t.maybe.string(12),
}) {}

export class CinderPersistentVolumeSource extends t.message('core/v1.CinderPersistentVolumeSource', {
  volumeID: t.string(1).required(),
  fsType: t.string(2),
  readOnly: t.bool(3),
  secretRef: t.perhaps(4, SecretReference),
}) {}

export class CephFSPersistentVolumeSource extends t.message('core/v1.CephFSPersistentVolumeSource', {
  monitors: t.strings(1).required(),
  path: t.string(2),
  user: t.string(3),
  secretFile: t.string(4),
  secretRef: t.perhaps(5, SecretReference),
  readOnly: t.bool(6),
}) {}

export class AzureFilePersistentVolumeSource extends t.message('core/v1.AzureFilePersistentVolumeSource', {
  secretName: t.string(1).required(),
  shareName: t.string(2).required(),
  readOnly: t.bool(3),
  secretNamespace: t.maybe.string(4).always(),
}) {}

export class ScaleIOPersistentVolumeSource extends t.message('core/v1.ScaleIOPersistentVolumeSource', {
  gateway: t.string(1).required(),
  system: t.string(2).required(),
  secretRef: t.perhaps(3, SecretReference).required(),
  sslEnabled: t.bool(4),
  protectionDomain: t.string(5),
  storagePool: t.string(6),
  storageMode: t.string(7).default('ThinProvisioned'),
  volumeName: t.string(8),
  fsType: t.string(9).default('xfs'),
  readOnly: t.bool(10),
}) {}
