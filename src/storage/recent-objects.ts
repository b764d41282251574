/** What can do without its decoded object, because it can decode it again. */
export interface ObjectHolder {
  forgetObject(): void;
}

/**
 * Which entries hold their decoded object: those that were written or decoded last. An object is needed by those who watch, right after its write, and by
 * the next write of the same object. Held by weak references, all objects would live until the whole heap is collected: each write would have its object
 * copied twice by collections of young objects before, which costs more than decoding again the few that are needed later.
 */
export class RecentObjects {
  readonly #holders: (ObjectHolder | undefined)[];
  readonly #sizes: Float64Array;
  readonly #maxBytes: number;
  /** Where the next holder goes; the oldest is `#count` places before it. */
  #next = 0;
  #count = 0;
  #bytes = 0;

  /** Holds at most so many objects, whose JSON has at most so many bytes together; the last one is held whatever its size. */
  constructor(maxObjects: number, maxBytes: number) {
    this.#holders = Array.from({ length: maxObjects }, () => undefined);
    this.#sizes = new Float64Array(maxObjects);
    this.#maxBytes = maxBytes;
  }

  /** Takes a holder that has just got its object. `bytes`: the length of the object's JSON. */
  add(holder: ObjectHolder, bytes: number): void {
    while (this.#count > 0 && (this.#count === this.#holders.length || this.#bytes + bytes > this.#maxBytes)) this.#forgetOldest();
    this.#holders[this.#next] = holder;
    this.#sizes[this.#next] = bytes;
    this.#next = (this.#next + 1) % this.#holders.length;
    this.#count += 1;
    this.#bytes += bytes;
  }

  #forgetOldest(): void {
    const at = (this.#next - this.#count + this.#holders.length) % this.#holders.length;
    this.#holders[at]?.forgetObject();
    this.#holders[at] = undefined;
    this.#bytes -= this.#sizes[at] ?? 0;
    this.#count -= 1;
  }
}
