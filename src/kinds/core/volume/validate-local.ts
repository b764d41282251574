import type { FieldErrors } from '#errors';
import { isNegativeAmount } from '../../amounts.ts';
import { validateLocalPath, validateNoBacksteps } from '../pod/path-checks.ts';
import { allowOneOf, requireText } from '../../value-checks.ts';
import type { EmptyDirVolumeSource, GitRepoVolumeSource, HostPathVolumeSource } from './local.ts';

const HOST_PATH_TYPES = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];

export function validateHostPath({ path, type }: HostPathVolumeSource, at: FieldErrors): void {
  if (!requireText(path, at.child('path'))) return;
  validateNoBacksteps(path, at.child('path'));
  allowOneOf(type, at.child('type'), HOST_PATH_TYPES);
}

export function validateEmptyDir({ sizeLimit = '0' }: EmptyDirVolumeSource, at: FieldErrors): void {
  if (isNegativeAmount(sizeLimit)) at.child('sizeLimit').forbidden('SizeLimit field must be a valid resource quantity');
}

export function validateGitRepo({ repository, directory = '' }: GitRepoVolumeSource, at: FieldErrors): void {
  requireText(repository, at.child('repository'));
  validateLocalPath(directory, at.child('directory'));
}
