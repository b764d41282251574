import { isTurnLong, nextTurn } from '#base';
import type { ApiObject, ObjectKey } from '#api';
import { formatKey, Indexer, keyOf, type WordsOf } from './indexer.ts';
import { openReflector, type Mirror, type Reflector, type ReflectorOptions } from './reflector.ts';
import type { ResourceClient } from './resource.ts';

/** Receives changes in the order in which the server made them. Must not throw. */
export interface Listener<T> {
  /** An object was added or changed; `before`: its previous state, undefined when added. */
  put?(object: T, before: T | undefined): void;
  /** An object was deleted; `last`: its last state as the server says; `before`: the state that was handed on before. */
  remove?(last: T, before: T): void;
}

/** A local cache of the objects of one resource that follows the server. Objects are shared and must not be changed. */
export interface Informer<T extends ApiObject = ApiObject> {
  /** Resolves once the initial list is complete. */
  readonly synced: Promise<void>;
  readonly isSynced: boolean;
  get(key: ObjectKey): T | undefined;
  /** All objects, or those of a namespace. */
  list(namespace?: string): readonly T[];
  /** The objects under a value of an index. */
  by(index: string, word: string): readonly T[];
  addIndex(name: string, wordsOf: WordsOf<T>): void;
  /** Adds a listener, which first gets all cached objects. Returns a function that removes it. */
  listen(listener: Listener<T>): () => void;
}

/** What an informer needs beside the client. */
export interface InformerOptions<T extends ApiObject> extends ReflectorOptions {
  /** Transforms each object before it is cached, to save memory. */
  readonly keep?: (object: T) => T;
}

/**
 * Lists, then watches, until the signal aborts. A watch that ends resumes at its last resourceVersion; where the server has compacted that, or cannot
 * read what came after it, the resource is listed again and listeners get the difference.
 */
export function openInformer<T extends ApiObject>(client: ResourceClient<T>, options: InformerOptions<T>): Informer<T> {
  return new CachingInformer(client, options);
}

class CachingInformer<T extends ApiObject> implements Informer<T>, Mirror<T> {
  readonly #indexer = new Indexer<T>();
  readonly #listeners = new Set<Listener<T>>();
  readonly #keep: (object: T) => T;
  readonly #signal: AbortSignal;
  readonly #reflector: Reflector;

  constructor(client: ResourceClient<T>, options: InformerOptions<T>) {
    const { keep = (object) => object, signal } = options;
    this.#keep = keep;
    this.#signal = signal;
    this.#reflector = openReflector(client, this, options);
  }

  get synced(): Promise<void> {
    return this.#reflector.synced;
  }

  get isSynced(): boolean {
    return this.#reflector.isSynced;
  }

  get(key: ObjectKey): T | undefined {
    return this.#indexer.get(key);
  }

  list(namespace?: string): readonly T[] {
    return this.#indexer.list(namespace);
  }

  by(index: string, word: string): readonly T[] {
    return this.#indexer.by(index, word);
  }

  addIndex(name: string, wordsOf: WordsOf<T>): void {
    this.#indexer.addIndex(name, wordsOf);
  }

  listen(listener: Listener<T>): () => void {
    this.#listeners.add(listener);
    for (const object of this.#indexer.list()) listener.put?.(object, undefined);
    return () => this.#listeners.delete(listener);
  }

  async replace(pages: AsyncIterable<readonly T[]>): Promise<void> {
    const found = new Map<string, T>();
    for await (const page of pages) for (const object of page) found.set(formatKey(keyOf(object)), this.#keep(object));
    for (const known of this.#indexer.list()) if (!found.has(formatKey(keyOf(known)))) this.remove(known);
    for (const object of found.values()) {
      // Listeners may take long.
      if (isTurnLong()) await nextTurn(this.#signal);
      this.#signal.throwIfAborted();
      this.#take(object);
    }
  }

  put(object: T): void {
    this.#take(this.#keep(object));
  }

  remove(last: T): void {
    const before = this.#indexer.remove(keyOf(last));
    if (before !== undefined) for (const listener of this.#listeners) listener.remove?.(last, before);
  }

  #take(object: T): void {
    const before = this.#indexer.put(object);
    if (before !== undefined && before.metadata.resourceVersion === object.metadata.resourceVersion && before.metadata.uid === object.metadata.uid) return;
    for (const listener of this.#listeners) listener.put?.(object, before);
  }
}
