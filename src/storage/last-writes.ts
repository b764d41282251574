/** What holds an object that was written, and can do without it: it is decoded again when it is needed. */
export interface ObjectHolder {
  forgetObject(): void;
}

/**
 * Which entries hold the object that was written: the last ones. Those who watch need it right after the write, and the next write of the same object
 * does. Held weakly, as what is decoded for a read, it would live until the whole heap is collected: each write would have its object copied twice by
 * collections of young objects, which costs more than decoding again the few that are needed later.
 */
export class LastWrites {
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
