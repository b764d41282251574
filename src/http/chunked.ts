const LINE_END = Buffer.from('\r\n');
/** The last chunk of a body in chunked transfer coding, with its empty trailer section. */
export const LAST_CHUNK: Buffer = Buffer.from('0\r\n\r\n');
const NOTHING = Buffer.alloc(0);

let last: Uint8Array | undefined;
let lastFramed: Buffer = NOTHING;

/**
 * One chunk of a body in chunked transfer coding (RFC 9112 7.1), in one buffer, which the socket takes without another copy. The last result is kept:
 * an event that goes to many watchers in turn is framed once. An empty piece, whose chunk would end the body, becomes no bytes.
 */
export function toChunk(piece: Uint8Array): Buffer {
  if (piece === last) return lastFramed;
  if (piece.length === 0) return NOTHING;
  last = piece;
  lastFramed = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`, 'latin1'), piece, LINE_END]);
  return lastFramed;
}
