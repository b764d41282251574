import type { FieldErrors } from '#errors';

/** Checks that the counters `parts` do not exceed the counter `whole`; each that does is reported. `name`: how messages name the whole. */
export function validateNotMoreThan<T>(status: T, parts: readonly (keyof T & string)[], whole: keyof T & string, at: FieldErrors, name = `status.${whole}`): void {
  const most = Number(status[whole] ?? 0);
  for (const part of parts) {
    const count = Number(status[part] ?? 0);
    if (count > most) at.child(part).invalid(count, `cannot be greater than ${name}`);
  }
}
