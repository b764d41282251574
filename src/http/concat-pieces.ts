let last: readonly Uint8Array[] = [];
let lastResult: Uint8Array = new Uint8Array(0);

/** All pieces as one array. The last result is kept: what goes to many receivers in turn is joined once. */
export function concatCached(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  if (!isLast(pieces)) {
    lastResult = Buffer.concat(pieces);
    last = pieces;
  }
  return lastResult;
}

function isLast(pieces: readonly Uint8Array[]): boolean {
  if (pieces.length !== last.length) return false;
  for (let at = 0; at < pieces.length; at++) if (pieces[at] !== last[at]) return false;
  return true;
}
