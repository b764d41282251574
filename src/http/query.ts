/**
 * The parameters of a request. As in 1.23 a pair that cannot be read is left out, and the others count: one with a semicolon, which once
 * separated pairs, and one with an escape that is none.
 */
export function readQuery(text: string): URLSearchParams {
  return new URLSearchParams(isReadable(text) ? text : text.split('&').filter(isReadable).join('&'));
}

function isReadable(text: string): boolean {
  if (text.includes(';')) return false;
  for (let at = text.indexOf('%'); at !== -1; at = text.indexOf('%', at + 3)) {
    if (!isHexDigit(text.charCodeAt(at + 1)) || !isHexDigit(text.charCodeAt(at + 2))) return false;
  }
  return true;
}

/** Also false behind the end of the text. */
function isHexDigit(unit: number): boolean {
  const lower = unit | 0x20;
  return (unit >= 0x30 && unit <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}
