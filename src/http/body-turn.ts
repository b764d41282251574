import { nextTurn, setImmediate } from '#base';

/** Bodies that are no longer than this together are begun together: what becomes of a body takes time in proportion to it. */
const BYTES_TOGETHER = 64 * 1024;
/** Most are no longer than this, and do not wait for what is long. */
const SHORT_BYTES = 4 * 1024;

let begunBytes = 0;

/** The body as soon as there is a turn of the event loop for it: a promise where it is long, or where others have this turn. */
export function whenInTurn(body: Uint8Array): Uint8Array | Promise<Uint8Array> {
  const { length } = body;
  if (length <= SHORT_BYTES) return body;
  if (begunBytes + length > BYTES_TOGETHER) return nextTurn().then(() => body);
  if (begunBytes === 0) setImmediate(endTurn);
  begunBytes += length;
  return body;
}

function endTurn(): void {
  begunBytes = 0;
}
