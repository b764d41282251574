/**
 * A map whose entries are taken in the order in which their keys came, each in constant time. A loop over a `Map` from its start would pass the places of
 * all entries taken before, which makes the time for n entries grow with n².
 */
export class FifoMap<K, V> {
  readonly #entries = new Map<K, V>();
  /** Stands behind the entries taken so far. */
  #rest = this.#entries.entries();

  get size(): number {
    return this.#entries.size;
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  /** A key that is there keeps its place. */
  set(key: K, value: V): void {
    this.#entries.set(key, value);
  }

  /** Removes the first entry and returns it; undefined: there is none. */
  take(): readonly [key: K, value: V] | undefined {
    const { value: first } = this.#rest.next();
    if (first !== undefined) {
      this.#entries.delete(first[0]);
      return first;
    }
    if (this.#entries.size === 0) return undefined;
    // An iterator that has been at the end once sees nothing of what comes later.
    this.#rest = this.#entries.entries();
    return this.take();
  }

  clear(): void {
    this.#entries.clear();
  }
}
