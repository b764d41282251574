import type { FieldErrors } from '#errors';

/** Checks that no segment of the path is `..`. */
export function validateNoBacksteps(path: string, at: FieldErrors): void {
  if (path.split('/').includes('..')) at.invalid(path, `must not contain '..'`);
}

/** Checks that the path is relative and has no segment `..`. */
export function validateLocalPath(path: string, at: FieldErrors): void {
  if (path.startsWith('/')) at.invalid(path, 'must be a relative path');
  validateNoBacksteps(path, at);
}

/** As `validateLocalPath`; a path must not begin with `..` either, since volumes use such names internally. */
export function validateUnreservedPath(path: string, at: FieldErrors): void {
  validateLocalPath(path, at);
  if (path.startsWith('..') && !path.startsWith('../')) at.invalid(path, `must not start with '..'`);
}
