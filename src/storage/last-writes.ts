import { FifoMap } from '#base';

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
  readonly #maxObjects: number;
  readonly #maxBytes: number;
  /** With the length of each object's JSON. */
  readonly #held = new FifoMap<ObjectHolder, number>();
  #bytes = 0;

  /** Holds at most so many objects, whose JSON has at most so many bytes together; the last one is held whatever its size. */
  constructor(maxObjects: number, maxBytes: number) {
    this.#maxObjects = maxObjects;
    this.#maxBytes = maxBytes;
  }

  /** Takes a holder that has just got its object. `bytes`: the length of the object's JSON. */
  add(holder: ObjectHolder, bytes: number): void {
    while (this.#held.size > 0 && (this.#held.size >= this.#maxObjects || this.#bytes + bytes > this.#maxBytes)) this.#forgetOldest();
    this.#held.set(holder, bytes);
    this.#bytes += bytes;
  }

  #forgetOldest(): void {
    const [holder, bytes] = this.#held.take()!;
    holder.forgetObject();
    this.#bytes -= bytes;
  }
}
