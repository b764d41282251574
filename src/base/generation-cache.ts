/**
 * A cache bounded by weight that evicts approximately the least recently used entries. It has two generations instead of a linked list: when the
 * young one is full it becomes the old one, and the previous old one is dropped; an entry of the old one that is read moves to the young one.
 */
export class GenerationCache<K, V> {
  readonly #maxWeight: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #weight = 0;
  readonly #weigh: (value: V) => number;

  /** Holds at most about `maxWeight`, in the unit that `weigh` returns. */
  constructor(maxWeight: number, weigh: (value: V) => number) {
    this.#maxWeight = maxWeight / 2;
    this.#weigh = weigh;
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    const replaced = this.#young.get(key);
    this.#weight += this.#weigh(value) - (replaced === undefined ? 0 : this.#weigh(replaced));
    this.#young.set(key, value);
    this.#old.delete(key);
    if (this.#weight < this.#maxWeight) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#weight = 0;
  }

  delete(key: K): void {
    const value = this.#young.get(key);
    if (value !== undefined) this.#weight -= this.#weigh(value);
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
