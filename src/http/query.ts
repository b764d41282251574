/**
 * The query parameters of a request. As in kube-apiserver, a pair that is malformed is left out and the others count: one with a semicolon, which
 * once separated pairs, or with an invalid percent-escape.
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

/** Also false past the end of the text (NaN). */
function isHexDigit(unit: number): boolean {
  const lower = unit | 0x20;
  return (unit >= 0x30 && unit <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}
