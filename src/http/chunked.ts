const LINE_END = Buffer.from('\r\n');
/** The end of a body in chunks. */
export const LAST_CHUNK: Buffer = Buffer.from('0\r\n\r\n');
const NOTHING = Buffer.alloc(0);

let last: Uint8Array | undefined;
let lastFramed: Buffer = NOTHING;

/**
 * A piece of a body as HTTP/1.1 sends it when it does not know how much follows. In one buffer, which the socket takes without another copy;
 * what goes to many receivers in turn is put together once. An empty piece, which would end the body, is none.
 */
export function framed(piece: Uint8Array): Buffer {
  if (piece === last) return lastFramed;
  if (piece.length === 0) return NOTHING;
  last = piece;
  lastFramed = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`, 'latin1'), piece, LINE_END]);
  return lastFramed;
}
