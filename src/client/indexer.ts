import type { ApiObject, ObjectKey } from '#api';

/** Computes the values under which an index finds an object. */
export type WordsOf<T> = (object: T) => readonly string[];

/** `namespace/name`, or the name alone where there is no namespace. */
export const formatKey = ({ namespace, name }: ObjectKey): string => (namespace === '' ? name : `${namespace}/${name}`);

/** The inverse of `formatKey`. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf('/');
  return { namespace: text.slice(0, Math.max(slash, 0)), name: text.slice(slash + 1) };
}

/** Namespace and name of an object; the namespace of cluster-scoped objects is empty. */
export const keyOf = ({ metadata: { namespace = '', name = '' } }: ApiObject): ObjectKey => ({ namespace, name });

/** The index by namespace, built on the first look-up: most informers never need it. */
const NAMESPACE = 'namespace';
const namespaceOf = ({ metadata }: ApiObject): readonly string[] => [metadata.namespace ?? ''];

/** Objects by key, and by the values of named indexes. */
export class Indexer<T extends ApiObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, Index<T>>();

  /** Adds an index, which covers existing objects too. Does nothing where the name exists. */
  addIndex(name: string, wordsOf: WordsOf<T>): void {
    if (this.#indexes.has(name)) return;
    const index = new Index(wordsOf);
    for (const object of this.#objects.values()) index.add(object);
    this.#indexes.set(name, index);
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(formatKey(key));
  }

  list(namespace?: string): readonly T[] {
    if (namespace === undefined) return [...this.#objects.values()];
    this.addIndex(NAMESPACE, namespaceOf);
    return this.by(NAMESPACE, namespace);
  }

  by(index: string, word: string): readonly T[] {
    const found = this.#indexes.get(index);
    if (found === undefined) throw new Error(`there is no index ${JSON.stringify(index)}`);
    return found.of(word);
  }

  /** Adds or replaces an object; returns the previous one. */
  put(object: T): T | undefined {
    const key = formatKey(keyOf(object));
    const before = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) {
      if (before !== undefined) index.remove(before);
      index.add(object);
    }
    return before;
  }

  remove(key: ObjectKey): T | undefined {
    const text = formatKey(key);
    const before = this.#objects.get(text);
    if (before === undefined) return undefined;
    this.#objects.delete(text);
    for (const index of this.#indexes.values()) index.remove(before);
    return before;
  }
}

class Index<T> {
  readonly #wordsOf: WordsOf<T>;
  readonly #found = new Map<string, Set<T>>();

  constructor(wordsOf: WordsOf<T>) {
    this.#wordsOf = wordsOf;
  }

  of(word: string): readonly T[] {
    return [...(this.#found.get(word) ?? [])];
  }

  add(object: T): void {
    for (const word of this.#wordsOf(object)) {
      const objects = this.#found.get(word);
      if (objects === undefined) this.#found.set(word, new Set([object]));
      else objects.add(object);
    }
  }

  remove(object: T): void {
    for (const word of this.#wordsOf(object)) {
      const objects = this.#found.get(word);
      objects?.delete(object);
      if (objects?.size === 0) this.#found.delete(word);
    }
  }
}
