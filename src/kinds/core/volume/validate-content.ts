import type { FieldErrors } from '#errors';
import { validateUnreservedPath } from '../pod/path-checks.ts';
import { FILE_FIELDS, validateObjectField, validateResourceField } from '../pod/validate-field-selectors.ts';
import { requireText } from '../../value-checks.ts';
import { validateFileMode } from './file-mode.ts';
import type { ConfigMapVolumeSource, DownwardAPIVolumeFile, DownwardAPIVolumeSource, SecretVolumeSource } from './content.ts';
import type { KeyToPath } from './key-to-path.ts';

export function validateSecret({ secretName, defaultMode, items }: SecretVolumeSource, at: FieldErrors): void {
  requireText(secretName, at.child('secretName'));
  validateFileMode(defaultMode, at.child('defaultMode'));
  validateItems(items ?? [], at.child('items'));
}

export function validateConfigMap({ name, defaultMode, items }: ConfigMapVolumeSource, at: FieldErrors): void {
  requireText(name, at.child('name'));
  validateFileMode(defaultMode, at.child('defaultMode'));
  validateItems(items ?? [], at.child('items'));
}

function validateItems(items: readonly KeyToPath[], at: FieldErrors): void {
  for (const [position, item] of items.entries()) validateItem(item, at.index(position));
}

export function validateItem({ key, path, mode }: KeyToPath, at: FieldErrors): void {
  requireText(key, at.child('key'));
  requireText(path, at.child('path'));
  validateUnreservedPath(path, at.child('path'));
  validateFileMode(mode, at.child('mode'));
}

/** The paths of files have no index, as in kube-apiserver. */
export function validateDownwardApi({ defaultMode, items }: DownwardAPIVolumeSource, at: FieldErrors): void {
  validateFileMode(defaultMode, at.child('defaultMode'));
  for (const file of items ?? []) validateFile(file, at);
}

export function validateFile({ path, fieldRef, resourceFieldRef, mode }: DownwardAPIVolumeFile, at: FieldErrors): void {
  requireText(path, at.child('path'));
  validateUnreservedPath(path, at.child('path'));
  if (fieldRef) {
    validateObjectField(fieldRef, at.child('fieldRef'), FILE_FIELDS);
    if (resourceFieldRef) at.invalid('resource', 'fieldRef and resourceFieldRef can not be specified simultaneously');
  } else if (resourceFieldRef) validateResourceField(resourceFieldRef, at.child('resourceFieldRef'), true);
  else at.required('one of fieldRef and resourceFieldRef is required');
  validateFileMode(mode, at.child('mode'));
}
