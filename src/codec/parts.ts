/** A document of any length that is encoded part by part, so that the caller can yield to the event loop in between. */
export interface Parts<T> {
  add(part: T): void;
  /** The pieces since the last call. Empty if the beginning of the document depends on the whole. */
  take(): readonly Uint8Array[];
  /** Completes the document; returns the remaining pieces, to be sent in order. */
  end(): readonly Uint8Array[];
}

/** Encodes a document with these parts at once. */
export function withParts<T>(document: Parts<T>, parts: Iterable<T>): readonly Uint8Array[] {
  for (const part of parts) document.add(part);
  return document.end();
}

/** Collects pieces until they are taken. */
export class Gathered {
  pieces: Uint8Array[] = [];

  take(): readonly Uint8Array[] {
    const taken = this.pieces;
    this.pieces = [];
    return taken;
  }
}
