const FORM = /^v([1-9][0-9]{0,8})(?:(alpha|beta)([1-9][0-9]{0,8}))?$/;
const MATURITY: Readonly<Record<string, number>> = { alpha: 1, beta: 2 };

/**
 * Orders versions by preference: stable before beta before alpha, newer before older; what is not a version of this form comes last, by name.
 * @spec 4.1
 */
export function compareVersions(a: string, b: string): number {
  const x = FORM.exec(a);
  const y = FORM.exec(b);
  if (x === null || y === null) return Number(x === null) - Number(y === null) || (a < b ? -1 : 1);
  const maturity = (parts: RegExpExecArray): number => (parts[2] === undefined ? 3 : (MATURITY[parts[2]] ?? 0));
  return maturity(y) - maturity(x) || Number(y[1]) - Number(x[1]) || Number(y[3] ?? 0) - Number(x[3] ?? 0);
}
