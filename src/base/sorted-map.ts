import { compareUtf8, comesBefore } from './utf8-order.ts';

const CHUNK = 512;

/** A map that can be iterated in the order of the UTF-8 bytes of its keys. Keys are kept in chunks, so that an insertion moves few of them. */
export class SortedMap<V> {
  readonly #values = new Map<string, V>();
  readonly #chunks: string[][] = [];

  get size(): number {
    return this.#values.size;
  }

  get(key: string): V | undefined {
    return this.#values.get(key);
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  set(key: string, value: V): void {
    if (!this.#values.has(key)) this.#insert(key);
    this.#values.set(key, value);
  }

  delete(key: string): boolean {
    if (!this.#values.delete(key)) return false;
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at]!;
    chunk.splice(lowerBound(chunk, key), 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
    return true;
  }

  /** Entries of `start <= key < end`, in order; without `end` to the last. The map must not be changed meanwhile. */
  *range(start: string, end?: string): Generator<readonly [string, V]> {
    let first = true;
    for (let at = this.#chunkOf(start); at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at]!;
      for (let i = first ? lowerBound(chunk, start) : 0; i < chunk.length; i++) {
        const key = chunk[i]!;
        if (end !== undefined && compareUtf8(key, end) >= 0) return;
        yield [key, this.#values.get(key)!];
      }
      first = false;
    }
  }

  #insert(key: string): void {
    if (this.#chunks.length === 0) {
      this.#chunks.push([key]);
      return;
    }
    const at = Math.min(this.#chunkOf(key), this.#chunks.length - 1);
    const chunk = this.#chunks[at]!;
    chunk.splice(lowerBound(chunk, key), 0, key);
    if (chunk.length > CHUNK) this.#chunks.splice(at + 1, 0, chunk.splice(CHUNK / 2));
  }

  /** The first chunk whose last key is not below `key`. */
  #chunkOf(key: string): number {
    const isBefore = comesBefore(key);
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const chunk = this.#chunks[middle]!;
      if (isBefore(chunk[chunk.length - 1]!)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function lowerBound(keys: readonly string[], key: string): number {
  const isBefore = comesBefore(key);
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(keys[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
