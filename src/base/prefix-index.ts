/**
 * An index of items by path or path prefix (which ends in `/`). It finds the items whose path or prefix covers a given path with one look-up per
 * component, however many items there are.
 */
export class PrefixIndex<T> {
  readonly #byPrefix = new Map<string, Set<T>>();

  add(prefix: string, item: T): void {
    const there = this.#byPrefix.get(prefix);
    if (there === undefined) this.#byPrefix.set(prefix, new Set([item]));
    else there.add(item);
  }

  remove(prefix: string, item: T): void {
    const there = this.#byPrefix.get(prefix);
    if (there === undefined) return;
    there.delete(item);
    if (there.size === 0) this.#byPrefix.delete(prefix);
  }

  get isEmpty(): boolean {
    return this.#byPrefix.size === 0;
  }

  forEach(visit: (item: T) => void): void {
    for (const items of this.#byPrefix.values()) for (const item of items) visit(item);
  }

  /** Visits every item that was added for `path` or for a prefix of it. */
  matching(path: string, visit: (item: T) => void): void {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      this.#visit(path.slice(0, slash + 1), visit);
    }
    if (!path.endsWith('/')) this.#visit(path, visit);
  }

  #visit(prefix: string, visit: (item: T) => void): void {
    const items = this.#byPrefix.get(prefix);
    if (items !== undefined) for (const item of items) visit(item);
  }
}
