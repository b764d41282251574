import type { FieldErrors } from '#errors';

/** Counters that count a part of what another one counts; each that is larger is a fault of its own. `name` is what the message calls the whole. */
export function validateNotMoreThan<T>(status: T, parts: readonly (keyof T & string)[], whole: keyof T & string, at: FieldErrors, name = `status.${whole}`): void {
  const most = Number(status[whole] ?? 0);
  for (const part of parts) {
    const count = Number(status[part] ?? 0);
    if (count > most) at.child(part).invalid(count, `cannot be greater than ${name}`);
  }
}
