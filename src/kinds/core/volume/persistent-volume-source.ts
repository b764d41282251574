import { t } from '#schema';
import { AWSElasticBlockStoreVolumeSource, AzureDiskVolumeSource, GCEPersistentDiskVolumeSource, PhotonPersistentDiskVolumeSource, VsphereVirtualDiskVolumeSource } from './cloud-disk.ts';
import { HostPathVolumeSource } from './local.ts';
import { FCVolumeSource, PortworxVolumeSource } from './network-block.ts';
import { FlockerVolumeSource, NFSVolumeSource, QuobyteVolumeSource } from './network-file.ts';
import { CSIPersistentVolumeSource, FlexPersistentVolumeSource, LocalVolumeSource, StorageOSPersistentVolumeSource } from './persistent-driver.ts';
import { AzureFilePersistentVolumeSource, CephFSPersistentVolumeSource, CinderPersistentVolumeSource, GlusterfsPersistentVolumeSource, ISCSIPersistentVolumeSource, RBDPersistentVolumeSource, ScaleIOPersistentVolumeSource } from './persistent-network.ts';

export class PersistentVolumeSource extends t.message('core/v1.PersistentVolumeSource', {
  gcePersistentDisk: t.perhaps(1, GCEPersistentDiskVolumeSource),
  awsElasticBlockStore: t.perhaps(2, AWSElasticBlockStoreVolumeSource),
  hostPath: t.perhaps(3, HostPathVolumeSource),
  glusterfs: t.perhaps(4, GlusterfsPersistentVolumeSource),
  nfs: t.perhaps(5, NFSVolumeSource),
  rbd: t.perhaps(6, RBDPersistentVolumeSource),
  iscsi: t.perhaps(7, ISCSIPersistentVolumeSource),
  cinder: t.perhaps(8, CinderPersistentVolumeSource),
  cephfs: t.perhaps(9, CephFSPersistentVolumeSource),
  fc: t.perhaps(10, FCVolumeSource),
  flocker: t.perhaps(11, FlockerVolumeSource),
  flexVolume: t.perhaps(12, FlexPersistentVolumeSource),
  azureFile: t.perhaps(13, AzureFilePersistentVolumeSource),
  vsphereVolume: t.perhaps(14, VsphereVirtualDiskVolumeSource),
  quobyte: t.perhaps(15, QuobyteVolumeSource),
  azureDisk: t.perhaps(16, AzureDiskVolumeSource),
  photonPersistentDisk: t.perhaps(17, PhotonPersistentDiskVolumeSource),
  portworxVolume: t.perhaps(18, PortworxVolumeSource),
  scaleIO: t.perhaps(19, ScaleIOPersistentVolumeSource),
  local: t.perhaps(20, LocalVolumeSource),
  storageos: t.perhaps(21, StorageOSPersistentVolumeSource),
  csi: t.perhaps(22, CSIPersistentVolumeSource),
}) {}
