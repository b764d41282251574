import type { FieldErrors } from '#errors';

/** Counters that count a part of what another one counts; each that is larger is a fault of its own. */
export function validateNotMoreThan<T>(status: T, parts: readonly (keyof T & string)[], whole: keyof T & string, at: FieldErrors): void {
  const most = Number(status[whole] ?? 0);
  for (const name of parts) {
    const count = Number(status[name] ?? 0);
    if (count > most) at.child(name).invalid(count, `cannot be greater than status.${whole}`);
  }
}
