/** A document of any length, made part by part: whoever makes it can let others get on in between. */
export interface Parts<T> {
  add(part: T): void;
  /** What there is so far and was not taken before: may be nothing where the beginning depends on the whole. */
  take(): readonly Uint8Array[];
  /** The rest, in pieces that are sent one after the other: the first one stands before the parts, the last one behind them. */
  end(): readonly Uint8Array[];
}

/** A document with these parts, made at once. */
export function withParts<T>(document: Parts<T>, parts: Iterable<T>): readonly Uint8Array[] {
  for (const part of parts) document.add(part);
  return document.end();
}

/** Pieces that wait to be taken. */
export class Gathered {
  pieces: Uint8Array[] = [];

  take(): readonly Uint8Array[] {
    const taken = this.pieces;
    this.pieces = [];
    return taken;
  }
}
