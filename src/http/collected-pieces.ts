/**
 * Each piece costs some hundred bytes beside what it holds, and a sender may make them as small as it likes: 3 MB byte by byte would be more than
 * a gigabyte. Smaller ones are copied together as they come.
 */
const SMALL_BYTES = 1_024;
const BLOCK_BYTES = 16_384;
const NO_BLOCK = Buffer.alloc(0);

/** A body that comes in pieces of whatever size. Takes little more memory than its bytes. */
export class CollectedPieces {
  /** Of all pieces so far. */
  size = 0;
  #pieces: Uint8Array[] = [];
  /** Where small ones go. */
  #block = NO_BLOCK;
  #used = 0;

  add(piece: Uint8Array): void {
    this.size += piece.length;
    // Most bodies are one piece, which stays as it is.
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

  /** All in one piece. */
  joined(): Uint8Array {
    this.#endBlock();
    return this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces, this.size);
  }

  /** What the block has is a piece; the rest of it is for the next ones. */
  #endBlock(): void {
    if (this.#used === 0) return;
    this.#pieces.push(this.#block.subarray(0, this.#used));
    this.#block = this.#block.subarray(this.#used);
    this.#used = 0;
  }
}
