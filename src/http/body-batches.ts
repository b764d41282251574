/** Bytes written together. Larger responses are split into such batches and wait for the client between them. */
export const BATCH_BYTES = 262_144;
/** A slice smaller than this is joined with its neighbours: a copy costs less than a write. */
const SMALL_BYTES = 8_192;
/** Small slices are joined up to this size. */
export const COALESCED_BYTES = 65_536;

/** Slices that exist already, or that are produced while they are sent. */
export type Runs = Iterable<readonly Uint8Array[]> | AsyncIterable<readonly Uint8Array[]>;

/** The batches in which `slices` are written: small slices joined, very long ones split, both without another copy of the rest. */
export function* batches(slices: readonly Uint8Array[]): Generator<readonly Uint8Array[]> {
  let batch: Uint8Array[] = [];
  let size = 0;
  for (const piece of coalesced(slices)) {
    for (let at = 0; at < piece.length; at += BATCH_BYTES) {
      const part = piece.length <= BATCH_BYTES ? piece : piece.subarray(at, at + BATCH_BYTES);
      if (size > 0 && size + part.length > BATCH_BYTES) {
        yield batch;
        batch = [];
        size = 0;
      }
      batch.push(part);
      size += part.length;
    }
  }
  if (size > 0) yield batch;
}

function* coalesced(slices: readonly Uint8Array[]): Generator<Uint8Array> {
  let small: Uint8Array[] = [];
  let size = 0;
  for (const slice of slices) {
    const isSmall = slice.length < SMALL_BYTES;
    if (size > 0 && (!isSmall || size + slice.length > COALESCED_BYTES)) {
      yield small.length === 1 ? small[0]! : Buffer.concat(small, size);
      small = [];
      size = 0;
    }
    if (isSmall) {
      small.push(slice);
      size += slice.length;
    } else yield slice;
  }
  if (size > 0) yield small.length === 1 ? small[0]! : Buffer.concat(small, size);
}
