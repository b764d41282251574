/**
 * A number as Go writes floating point: the shortest text that reads back as the same number, with an exponent of at least two digits for numbers
 * below 0.0001, and from 1,000,000 on.
 */
export function goFloatText(value: number): string {
  const scientific = value.toExponential();
  const exponent = Number(scientific.slice(scientific.indexOf('e') + 1));
  if (value === 0 || (exponent >= -4 && exponent < 6)) return value.toString();
  return scientific.replace(/e([+-])(\d)$/, 'e$10$2');
}
