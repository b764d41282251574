import type { FieldErrors } from '#errors';

/** No step up anywhere in the path. */
export function validateNoBacksteps(path: string, at: FieldErrors): void {
  if (path.split('/').includes('..')) at.invalid(path, `must not contain '..'`);
}

/** A path below some folder: relative, without a step up. */
export function validateLocalPath(path: string, at: FieldErrors): void {
  if (path.startsWith('/')) at.invalid(path, 'must be a relative path');
  validateNoBacksteps(path, at);
}

/** As `validateLocalPath`, and not one of the names that volumes keep for themselves. */
export function validateUnreservedPath(path: string, at: FieldErrors): void {
  validateLocalPath(path, at);
  if (path.startsWith('..') && !path.startsWith('../')) at.invalid(path, `must not start with '..'`);
}
