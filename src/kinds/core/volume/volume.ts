import { t } from '#schema';
import { EphemeralVolumeSource, PersistentVolumeClaimVolumeSource } from './claim.ts';
import {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  AzureFileVolumeSource,
  CinderVolumeSource,
  GCEPersistentDiskVolumeSource,
  PhotonPersistentDiskVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from './cloud-disk.ts';
import { ConfigMapVolumeSource, DownwardAPIVolumeSource, SecretVolumeSource } from './content.ts';
import { CSIVolumeSource, FlexVolumeSource } from './driver.ts';
import { EmptyDirVolumeSource, GitRepoVolumeSource, HostPathVolumeSource } from './local.ts';
import {
  FCVolumeSource,
  ISCSIVolumeSource,
  PortworxVolumeSource,
  RBDVolumeSource,
  ScaleIOVolumeSource,
  StorageOSVolumeSource,
} from './network-block.ts';
import { CephFSVolumeSource, FlockerVolumeSource, GlusterfsVolumeSource, NFSVolumeSource, QuobyteVolumeSource } from './network-file.ts';
import { ProjectedVolumeSource } from './projected.ts';

/** The volume types, in the order in which the first one that is set counts. */
export const VOLUME_KINDS = [
  'hostPath',
  'emptyDir',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'persistentVolumeClaim',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'downwardAPI',
  'fc',
  'azureFile',
  'configMap',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'projected',
  'portworxVolume',
  'scaleIO',
  'storageos',
  'csi',
  'ephemeral',
] as const;
export type VolumeKind = (typeof VOLUME_KINDS)[number];

export class VolumeSource extends t.message(
  'core/v1.VolumeSource',
  {
    hostPath: t.perhaps(1, HostPathVolumeSource),
    emptyDir: t.perhaps(2, EmptyDirVolumeSource),
    gcePersistentDisk: t.perhaps(3, GCEPersistentDiskVolumeSource),
    awsElasticBlockStore: t.perhaps(4, AWSElasticBlockStoreVolumeSource),
    gitRepo: t.perhaps(5, GitRepoVolumeSource),
    secret: t.perhaps(6, SecretVolumeSource),
    nfs: t.perhaps(7, NFSVolumeSource),
    iscsi: t.perhaps(8, ISCSIVolumeSource),
    glusterfs: t.perhaps(9, GlusterfsVolumeSource),
    persistentVolumeClaim: t.perhaps(10, PersistentVolumeClaimVolumeSource),
    rbd: t.perhaps(11, RBDVolumeSource),
    flexVolume: t.perhaps(12, FlexVolumeSource),
    cinder: t.perhaps(13, CinderVolumeSource),
    cephfs: t.perhaps(14, CephFSVolumeSource),
    flocker: t.perhaps(15, FlockerVolumeSource),
    downwardAPI: t.perhaps(16, DownwardAPIVolumeSource),
    fc: t.perhaps(17, FCVolumeSource),
    azureFile: t.perhaps(18, AzureFileVolumeSource),
    configMap: t.perhaps(19, ConfigMapVolumeSource),
    vsphereVolume: t.perhaps(20, VsphereVirtualDiskVolumeSource),
    quobyte: t.perhaps(21, QuobyteVolumeSource),
    azureDisk: t.perhaps(22, AzureDiskVolumeSource),
    photonPersistentDisk: t.perhaps(23, PhotonPersistentDiskVolumeSource),
    projected: t.perhaps(26, ProjectedVolumeSource),
    portworxVolume: t.perhaps(24, PortworxVolumeSource),
    scaleIO: t.perhaps(25, ScaleIOVolumeSource),
    storageos: t.perhaps(27, StorageOSVolumeSource),
    csi: t.perhaps(28, CSIVolumeSource),
    ephemeral: t.perhaps(29, EphemeralVolumeSource),
  },
  {
    /** A volume without a type is an empty directory. */
    defaults(source) {
      if (VOLUME_KINDS.every((kind) => source[kind] === undefined)) source.emptyDir = {};
    },
  },
) {}

export class Volume extends t.message('core/v1.Volume', {
  name: t.string(1).required(),
  volumeSource: t.inline(2, VolumeSource),
}) {}
