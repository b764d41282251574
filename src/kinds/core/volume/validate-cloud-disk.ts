import type { FieldErrors } from '#errors';
import { allowOneOf, requireText } from '../../value-checks.ts';
import type {
  AzureDiskVolumeSource,
  AzureFileVolumeSource,
  CinderVolumeSource,
  PhotonPersistentDiskVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from './cloud-disk.ts';

/** Validates a disk with a required identifier and an optional partition. */
export function validateCloudDisk(member: string, id: string, partition: number | undefined, at: FieldErrors): void {
  requireText(id, at.child(member));
  const number = partition ?? 0;
  if (number < 0 || number > 255) at.child('partition').invalid(number, 'must be between 1 and 255, inclusive');
}

const CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'];
const DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED_URI = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_URI = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

export function validateAzureDisk({ diskName, diskURI, cachingMode, kind }: AzureDiskVolumeSource, at: FieldErrors): void {
  requireText(diskName, at.child('diskName'));
  requireText(diskURI, at.child('diskURI'));
  allowOneOf(cachingMode, at.child('cachingMode'), CACHING_MODES);
  allowOneOf(kind, at.child('kind'), DISK_KINDS);
  if (kind === 'Managed') {
    if (!diskURI.startsWith('/subscriptions/')) at.child('diskURI').notSupported(diskURI, [MANAGED_URI]);
  } else if (kind !== undefined && !diskURI.startsWith('https://')) at.child('diskURI').notSupported(diskURI, [BLOB_URI]);
}

export function validateAzureFile({ secretName, shareName }: AzureFileVolumeSource, at: FieldErrors): void {
  requireText(secretName, at.child('secretName'));
  requireText(shareName, at.child('shareName'));
}

export function validateCinder({ volumeID, secretRef }: CinderVolumeSource, at: FieldErrors): void {
  requireText(volumeID, at.child('volumeID'));
  if (secretRef) requireText(secretRef.name, at.child('secretRef', 'name'));
}

export function validateVsphere({ volumePath }: VsphereVirtualDiskVolumeSource, at: FieldErrors): void {
  requireText(volumePath, at.child('volumePath'));
}

export function validatePhoton({ pdID }: PhotonPersistentDiskVolumeSource, at: FieldErrors): void {
  requireText(pdID, at.child('pdID'));
}
