import type { FieldErrors } from '#errors';
import type { PodRules } from '../pod/pod-rules.ts';
import { validateAzureDisk, validateAzureFile, validateCinder, validateCloudDisk, validatePhoton, validateVsphere } from './validate-cloud-disk.ts';
import { validateClaimSource, validateEphemeral } from './validate-claim.ts';
import { validateConfigMap, validateDownwardApi, validateSecret } from './validate-content.ts';
import { validateCsi, validateFlex } from './validate-driver.ts';
import { validateEmptyDir, validateGitRepo, validateHostPath } from './validate-local.ts';
import { validateFc, validateIscsi, validatePortworx, validateRbd, validateScaleIo, validateStorageOs } from './validate-network-block.ts';
import { validateCephfs, validateFlocker, validateGlusterfs, validateNfs, validateQuobyte } from './validate-network-file.ts';
import { validateProjected } from './validate-projected.ts';
import type { VolumeKind, VolumeSource } from './volume.ts';

type ValidateSource = (source: VolumeSource, at: FieldErrors, rules: PodRules) => void;

const of =
  <K extends VolumeKind>(kind: K, validate: (source: NonNullable<VolumeSource[K]>, at: FieldErrors, rules: PodRules) => void): ValidateSource =>
  (source, at, rules) => {
    const value = source[kind];
    if (value !== undefined) validate(value, at, rules);
  };

/** Validators by volume type. `at`: the path of the type's field. */
export const VALIDATE_SOURCE: Readonly<Record<VolumeKind, ValidateSource>> = {
  hostPath: of('hostPath', validateHostPath),
  emptyDir: of('emptyDir', validateEmptyDir),
  gcePersistentDisk: of('gcePersistentDisk', (disk, at) => validateCloudDisk('pdName', disk.pdName, disk.partition, at)),
  awsElasticBlockStore: of('awsElasticBlockStore', (disk, at) => validateCloudDisk('volumeID', disk.volumeID, disk.partition, at)),
  gitRepo: of('gitRepo', validateGitRepo),
  secret: of('secret', validateSecret),
  nfs: of('nfs', validateNfs),
  iscsi: of('iscsi', validateIscsi),
  glusterfs: of('glusterfs', validateGlusterfs),
  persistentVolumeClaim: of('persistentVolumeClaim', validateClaimSource),
  rbd: of('rbd', validateRbd),
  flexVolume: of('flexVolume', validateFlex),
  cinder: of('cinder', validateCinder),
  cephfs: of('cephfs', validateCephfs),
  flocker: of('flocker', validateFlocker),
  downwardAPI: of('downwardAPI', validateDownwardApi),
  fc: of('fc', validateFc),
  azureFile: of('azureFile', validateAzureFile),
  configMap: of('configMap', validateConfigMap),
  vsphereVolume: of('vsphereVolume', validateVsphere),
  quobyte: of('quobyte', validateQuobyte),
  azureDisk: of('azureDisk', validateAzureDisk),
  photonPersistentDisk: of('photonPersistentDisk', validatePhoton),
  projected: of('projected', validateProjected),
  portworxVolume: of('portworxVolume', validatePortworx),
  scaleIO: of('scaleIO', validateScaleIo),
  storageos: of('storageos', validateStorageOs),
  csi: of('csi', validateCsi),
  ephemeral: of('ephemeral', validateEphemeral),
};
