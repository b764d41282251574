import { isRefusal } from '#errors';
import { deferred, isTurnLong, nextTurn, silentLog, systemClock, wait, type Clock, type Log } from '#base';
import type { ApiObject, ObjectKey } from '#api';
import { backoffMs, type Backoff } from './backoff.ts';
import { isAbsent } from './call.ts';
import { formatKey, Indexer, keyOf, type WordsOf } from './indexer.ts';
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
export interface InformerOptions<T extends ApiObject> {
  /** Times retries after failures. Default: the system clock. */
  readonly retryClock?: Clock;
  /** Default: nothing is written. */
  readonly log?: Log;
  readonly signal: AbortSignal;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Transforms each object before it is cached, to save memory. */
  readonly keep?: (object: T) => T;
}

const BACKOFF: Backoff = { firstMs: 200, longestMs: 30_000 };
/**
 * Attempts before a kind that is not served is logged, about 3 s: it may be served in a moment, or was just removed and its informer is about to be
 * stopped.
 */
const PATIENT_TRIES = 5;

/**
 * Lists, then watches, until the signal aborts. A watch that ends resumes at its last resourceVersion; where the server has compacted that, the
 * resource is listed again and listeners get the difference.
 */
export function openInformer<T extends ApiObject>(client: ResourceClient<T>, options: InformerOptions<T>): Informer<T> {
  const follower = new Follower(client, options);
  void follower.run();
  return follower;
}

class Follower<T extends ApiObject> implements Informer<T> {
  isSynced = false;
  readonly #client: ResourceClient<T>;
  readonly #options: InformerOptions<T>;
  readonly #indexer = new Indexer<T>();
  readonly #listeners = new Set<Listener<T>>();
  readonly #synced = deferred<void>();
  #failures = 0;

  constructor(client: ResourceClient<T>, options: InformerOptions<T>) {
    this.#client = client;
    this.#options = options;
  }

  get synced(): Promise<void> {
    return this.#synced.promise;
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

  async run(): Promise<void> {
    const { signal } = this.#options;
    let position: string | undefined;
    while (!signal.aborted) {
      try {
        position ??= await this.#listAll();
        position = await this.#follow(position);
      } catch (cause) {
        if (signal.aborted) return;
        if (cause instanceof Lost) ({ position } = cause);
        // The resourceVersion has expired: list again.
        if (isRefusal(cause instanceof Lost ? cause.cause : cause, 'Expired', 'Gone')) position = undefined;
        else this.#report(cause);
      }
      await this.#pause();
    }
  }

  async #listAll(): Promise<string> {
    const { labelSelector, fieldSelector, signal, keep } = this.#options;
    const selection = { ...(labelSelector === undefined ? {} : { labelSelector }), ...(fieldSelector === undefined ? {} : { fieldSelector }) };
    const found = new Map<string, T>();
    let position = '';
    for await (const { items, resourceVersion } of this.#client.pages({ ...selection, signal })) {
      for (const item of items) found.set(formatKey(keyOf(item)), keep === undefined ? item : keep(item));
      position = resourceVersion;
    }
    for (const known of this.#indexer.list()) if (!found.has(formatKey(keyOf(known)))) this.#remove(known);
    for (const item of found.values()) {
      // Listeners may take long.
      if (isTurnLong()) await nextTurn(signal);
      signal.throwIfAborted();
      this.#put(item);
    }
    this.isSynced = true;
    this.#synced.resolve();
    return position;
  }

  /** Resolves to the last resourceVersion of the stream. */
  async #follow(from: string): Promise<string> {
    const { labelSelector, fieldSelector, signal, keep } = this.#options;
    const selection = { ...(labelSelector === undefined ? {} : { labelSelector }), ...(fieldSelector === undefined ? {} : { fieldSelector }) };
    let position = from;
    try {
      for await (const batch of await this.#client.watchBatches({ ...selection, resourceVersion: from, bookmarks: true, signal })) {
        this.#failures = 0;
        for (const { type, object } of batch) {
          if (isTurnLong()) await nextTurn(signal);
          signal.throwIfAborted();
          position = object.metadata.resourceVersion ?? position;
          if (type === 'DELETED') this.#remove(object);
          else if (type !== 'BOOKMARK') this.#put(keep === undefined ? object : keep(object));
        }
      }
      return position;
    } catch (cause) {
      throw new Lost(position, cause);
    }
  }

  #put(object: T): void {
    const before = this.#indexer.put(object);
    if (before !== undefined && before.metadata.resourceVersion === object.metadata.resourceVersion && before.metadata.uid === object.metadata.uid) return;
    for (const listener of this.#listeners) listener.put?.(object, before);
  }

  #remove(last: T): void {
    const before = this.#indexer.remove(keyOf(last));
    if (before !== undefined) for (const listener of this.#listeners) listener.remove?.(last, before);
  }

  /** No delay before the first retry: streams end all the time. */
  #pause(): Promise<void> {
    const { retryClock = systemClock, signal } = this.#options;
    const failures = this.#failures++;
    return failures === 0 ? Promise.resolve() : wait(retryClock, backoffMs(BACKOFF, failures), signal);
  }

  #report(failure: unknown): void {
    const { log = silentLog } = this.#options;
    const { plural, group } = this.#client.resource;
    const cause = failure instanceof Lost ? failure.cause : failure;
    if (this.#failures === (isAbsent(cause) ? PATIENT_TRIES : 1)) log.warn('cannot follow a resource, trying again', { plural, group, cause });
  }
}

/** A stream that broke, with its last resourceVersion. */
class Lost extends Error {
  readonly position: string;

  constructor(position: string, cause: unknown) {
    super('the watch broke off', { cause });
    this.position = position;
  }
}
