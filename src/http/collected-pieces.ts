/**
 * Each Buffer costs some hundred bytes beside its content, and a sender may make chunks as small as it likes: a body of 3 MB sent byte by byte would
 * take more than a gigabyte. Chunks smaller than this are copied together as they arrive.
 */
const SMALL_BYTES = 1_024;
const BLOCK_BYTES = 16_384;
const NO_BLOCK = Buffer.alloc(0);

/** Collects a body that arrives in chunks of any size. Takes little more memory than the bytes of the body. */
export class CollectedPieces {
  /** Bytes received so far. */
  size = 0;
  #pieces: Uint8Array[] = [];
  /** Small chunks are copied into this. */
  #block = NO_BLOCK;
  #used = 0;

  add(piece: Uint8Array): void {
    this.size += piece.length;
    // Most bodies arrive as one chunk, which is kept without a copy.
    if (piece.length >= SMALL_BYTES || this.size === piece.length) {
      this.#endBlock();
      this.#pieces.push(piece);
      return;
    }
    if (piece.length > this.#block.length - this.#used) {
      this.#endBlock();
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    }
    this.#block.set(piece, this.#used);
    this.#used += piece.length;
  }

  /** The whole body as one array. */
  concat(): Uint8Array {
    this.#endBlock();
    return this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces, this.size);
  }

  /** Makes a piece of what the block holds; the rest of the block takes the next small chunks. */
  #endBlock(): void {
    if (this.#used === 0) return;
    this.#pieces.push(this.#block.subarray(0, this.#used));
    this.#block = this.#block.subarray(this.#used);
    this.#used = 0;
  }
}
