/**
 * Finds whoever is interested in a path: those registered for the path itself or for any of its folders (prefixes that end in `/`).
 * Costs one look-up per component, however many are registered.
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

  forEach(visit: (item: T) => void): void {
    for (const items of this.#byPrefix.values()) for (const item of items) visit(item);
  }

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
