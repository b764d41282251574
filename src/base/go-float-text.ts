/**
 * A number as Go writes floating point: in the shortest form that reads back, with an exponent of at least two digits where the number is
 * below 0.0001, or 1,000,000 and more.
 */
export function goFloatText(value: number): string {
  const scientific = value.toExponential();
  const exponent = Number(scientific.slice(scientific.indexOf('e') + 1));
  if (value === 0 || (exponent >= -4 && exponent < 6)) return value.toString();
  return scientific.replace(/e([+-])(\d)$/, 'e$10$2');
}
