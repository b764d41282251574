import { checkDnsLabel, checkDnsSubdomain, type Faults } from '#api';
import type { FieldErrors } from '#errors';
import { validateNoBacksteps } from '../pod/path-checks.ts';
import { requireText, requireValid } from '../pod/value-checks.ts';
import type { CSIPersistentVolumeSource, LocalVolumeSource, StorageOSPersistentVolumeSource } from './persistent-driver.ts';
import type {
  AzureFilePersistentVolumeSource,
  CinderPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  ISCSIPersistentVolumeSource,
} from './persistent-network.ts';
import type { SecretReference } from './secret-reference.ts';
import { validateDriverName } from './validate-driver.ts';
import { validateIscsi, validateStorageOs } from './validate-network-block.ts';
import { validateGlusterfs } from './validate-network-file.ts';

/** A name and a namespace. */
function validateSecret(
  { name, namespace }: SecretReference,
  at: FieldErrors,
  check: { readonly name: (value: string) => Faults; readonly namespace: (value: string) => Faults } = { name: () => undefined, namespace: () => undefined },
): void {
  requireValid(name, at.child('name'), check.name);
  requireValid(namespace, at.child('namespace'), check.namespace);
}

export function validatePersistentGlusterfs(source: GlusterfsPersistentVolumeSource, at: FieldErrors): void {
  validateGlusterfs(source, at);
  const { endpointsNamespace: namespace } = source;
  if (namespace?.trim() === '') at.child('endpointsNamespace').invalid(namespace, 'must name a namespace where it is set');
}

export function validatePersistentIscsi(source: ISCSIPersistentVolumeSource, at: FieldErrors): void {
  const { secretRef, ...rest } = source;
  validateIscsi(secretRef === undefined ? rest : { ...rest, secretRef }, at);
  if (secretRef) requireText(secretRef.name, at.child('secretRef', 'name'));
}

export function validatePersistentCinder({ volumeID, secretRef }: CinderPersistentVolumeSource, at: FieldErrors): void {
  requireText(volumeID, at.child('volumeID'));
  if (secretRef) validateSecret(secretRef, at.child('secretRef'));
}

export function validatePersistentAzureFile({ secretName, shareName, secretNamespace }: AzureFilePersistentVolumeSource, at: FieldErrors): void {
  requireText(secretName, at.child('secretName'));
  requireText(shareName, at.child('shareName'));
  if (secretNamespace === '') at.child('secretNamespace').invalid(secretNamespace, 'must name a namespace where it is set');
}

export function validateLocal({ path }: LocalVolumeSource, at: FieldErrors): void {
  if (requireText(path, at.child('path'))) validateNoBacksteps(path, at.child('path'));
}

export function validatePersistentStorageOs({ secretRef, ...rest }: StorageOSPersistentVolumeSource, at: FieldErrors): void {
  validateStorageOs(rest, at);
  if (secretRef) validateSecret(secretRef, at.child('secretRef'));
}

const CSI_SECRETS = ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeStageSecretRef'] as const;

export function validatePersistentCsi(source: CSIPersistentVolumeSource, at: FieldErrors): void {
  validateDriverName(source.driver, at.child('driver'));
  requireText(source.volumeHandle, at.child('volumeHandle'));
  for (const member of CSI_SECRETS) {
    const secret = source[member];
    if (secret) validateSecret(secret, at.child(member), { name: checkDnsSubdomain, namespace: checkDnsLabel });
  }
}
