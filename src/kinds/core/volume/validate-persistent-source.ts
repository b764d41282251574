import { checkDnsLabel, report } from '#api';
import type { FieldErrors } from '#errors';
import { validateNoBacksteps } from '../pod/path-checks.ts';
import { requireText } from '../../value-checks.ts';
import type { CSIPersistentVolumeSource, LocalVolumeSource, StorageOSPersistentVolumeSource } from './persistent-driver.ts';
import type {
  AzureFilePersistentVolumeSource,
  CinderPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
} from './persistent-network.ts';
import type { SecretReference } from './secret-reference.ts';
import { validateDriverName } from './validate-driver.ts';
import { validateStorageOs } from './validate-network-block.ts';
import { validateGlusterfs } from './validate-network-file.ts';

/** A secret reference needs a name and a namespace. */
function validateSecret({ name, namespace }: SecretReference, at: FieldErrors): void {
  requireText(name, at.child('name'));
  requireText(namespace, at.child('namespace'));
}

export function validatePersistentGlusterfs(source: GlusterfsPersistentVolumeSource, at: FieldErrors): void {
  validateGlusterfs(source, at);
  const { endpointsNamespace: namespace } = source;
  if (namespace === '') at.child('endpointsNamespace').invalid(namespace, 'if the endpointnamespace is set, it must be a valid namespace name');
  else if (namespace !== undefined) report(at.child('endpointsNamespace'), namespace, checkDnsLabel(namespace));
}

export function validatePersistentCinder({ volumeID, secretRef }: CinderPersistentVolumeSource, at: FieldErrors): void {
  requireText(volumeID, at.child('volumeID'));
  if (secretRef) validateSecret(secretRef, at.child('secretRef'));
}

export function validatePersistentAzureFile({ secretName, shareName, secretNamespace }: AzureFilePersistentVolumeSource, at: FieldErrors): void {
  requireText(secretName, at.child('secretName'));
  requireText(shareName, at.child('shareName'));
  if (secretNamespace === '') at.child('secretNamespace').required();
}

export function validateLocal({ path }: LocalVolumeSource, at: FieldErrors): void {
  if (requireText(path, at.child('path'))) validateNoBacksteps(path, at.child('path'));
}

export function validatePersistentStorageOs({ secretRef, ...rest }: StorageOSPersistentVolumeSource, at: FieldErrors): void {
  validateStorageOs(rest, at);
  if (secretRef) validateSecret(secretRef, at.child('secretRef'));
}

/** The validated secrets of a CSI driver, with their names in paths, one of which ends with a space. */
const CSI_SECRETS = [
  ['controllerPublishSecretRef', 'controllerPublishSecretRef'],
  ['controllerExpandSecretRef', 'controllerExpandSecretRef'],
  ['nodePublishSecretRef', 'nodePublishSecretRef '],
] as const;

export function validatePersistentCsi(source: CSIPersistentVolumeSource, at: FieldErrors): void {
  validateDriverName(source.driver, at.child('driver'));
  requireText(source.volumeHandle, at.child('volumeHandle'));
  for (const [member, known] of CSI_SECRETS) {
    const secret = source[member];
    if (secret) validateCsiSecret(secret, at.child(known), at);
  }
}

/** Missing fields are reported below the secret, malformed ones below the driver, as in kube-apiserver. */
function validateCsiSecret(secret: SecretReference, at: FieldErrors, driver: FieldErrors): void {
  for (const member of ['name', 'namespace'] as const) {
    const value = secret[member];
    if (requireText(value, at.child(member))) report(driver.child(member), value, checkDnsLabel(value));
  }
}
