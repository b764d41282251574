import type { FieldErrors } from '#errors';

/** Validates the permission bits of a file. */
export function validateFileMode(mode: number | undefined, at: FieldErrors): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) at.invalid(mode, 'must be a number between 0 and 0777 (octal), both inclusive');
}
