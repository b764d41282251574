import { ApiError, isRefusal } from '#errors';
import { abortedBy, deferred, isTurnLong, nextTurn, silentLog, steady, systemClock, wait, type Clock, type Log } from '#base';
import type { ApiObject } from '#api';
import { backoffMs, type Backoff } from './backoff.ts';
import { isAbsent } from './call.ts';
import type { ResourceClient } from './resource.ts';

/** What a reflector keeps up to date. Changes come in the order in which the server made them. */
export interface Mirror<T extends ApiObject> {
  /** Takes all objects that there are, page by page; whatever it had before and is not among them is gone. Rejects with what `pages` throws. */
  replace(pages: AsyncIterable<readonly T[]>): Promise<void>;
  /** An object was added or changed. Must not throw. */
  put(object: T): void;
  /** An object was deleted; `last`: its last state. Must not throw. */
  remove(last: T): void;
}

/** Follows the objects of one resource. */
export interface Reflector {
  /** Resolves once the initial list is complete. */
  readonly synced: Promise<void>;
  readonly isSynced: boolean;
}

/** What a reflector needs beside the client and the mirror. */
export interface ReflectorOptions {
  /** Times retries after failures, and watches that a server should have ended. Default: the system clock. */
  readonly retryClock?: Clock;
  /** Default: nothing is written. */
  readonly log?: Log;
  readonly signal: AbortSignal;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

const BACKOFF: Backoff = { firstMs: 200, longestMs: 30_000 };
/** The server is asked to end a watch after a random time from this one to twice as long, so that not all of them end at once. */
const WATCH_SECONDS = 300;
/** A server that has not ended a watch so long after that time has vanished. */
const LATE_MS = 60_000;
/** A watch that lasted so long was in order, however it ended and whatever it told. */
const LASTING_MS = 60_000;
/**
 * Attempts before a kind that is not served is logged, about 3 s: it may be served in a moment, or was just removed and its reflector is about to be
 * stopped.
 */
const PATIENT_TRIES = 5;

/**
 * Lists, then watches, until the signal aborts, and tells `mirror`. A watch that ends resumes at its last resourceVersion; where the server has
 * compacted that, or cannot read what came after it, the resource is listed again.
 */
export function openReflector<T extends ApiObject>(client: ResourceClient<T>, mirror: Mirror<T>, options: ReflectorOptions): Reflector {
  const follower = new Follower(client, mirror, options);
  void follower.run();
  return follower;
}

class Follower<T extends ApiObject> implements Reflector {
  isSynced = false;
  readonly #client: ResourceClient<T>;
  readonly #mirror: Mirror<T>;
  readonly #options: ReflectorOptions;
  readonly #selection: Pick<ReflectorOptions, 'labelSelector' | 'fieldSelector'>;
  readonly #synced = deferred<void>();
  #failures = 0;

  constructor(client: ResourceClient<T>, mirror: Mirror<T>, options: ReflectorOptions) {
    const { labelSelector, fieldSelector } = options;
    this.#client = client;
    this.#mirror = mirror;
    this.#options = options;
    this.#selection = { ...(labelSelector === undefined ? {} : { labelSelector }), ...(fieldSelector === undefined ? {} : { fieldSelector }) };
  }

  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  async run(): Promise<void> {
    const { signal } = this.#options;
    let position: string | undefined;
    while (!signal.aborted) {
      try {
        position ??= await this.#listAll();
        const watched = await this.#follow(position);
        ({ position } = watched);
        if (watched.isInOrder) {
          this.#failures = 0;
          continue;
        }
      } catch (cause) {
        if (signal.aborted) return;
        if (cause instanceof Lost) ({ position } = cause);
        const failure = cause instanceof Lost ? cause.cause : cause;
        const isForgotten = isExpired(failure);
        if (isForgotten || isInTheWay(failure)) position = undefined;
        if (!isForgotten) this.#report(failure);
      }
      await this.#pause();
    }
  }

  async #listAll(): Promise<string> {
    const { signal } = this.#options;
    const lists = this.#client.pages({ ...this.#selection, signal });
    let position = '';
    async function* pages(): AsyncGenerator<readonly T[]> {
      for await (const { items, resourceVersion } of lists) {
        position = resourceVersion;
        yield items;
      }
    }
    await this.#mirror.replace(pages());
    signal.throwIfAborted();
    this.isSynced = true;
    this.#synced.resolve();
    return position;
  }

  /** Resolves at the end of the stream, to its last resourceVersion, and whether streams may end so. */
  async #follow(from: string): Promise<{ readonly position: string; readonly isInOrder: boolean }> {
    const { retryClock = systemClock } = this.#options;
    const timeoutSeconds = Math.ceil(WATCH_SECONDS * (1 + Math.random()));
    const ending = abortedBy(this.#options.signal);
    const { signal } = ending;
    const cancel = retryClock.after(timeoutSeconds * 1000 + LATE_MS, () => ending.abort(new Error('the server did not end the watch in time')));
    const time = steady(retryClock);
    const startMs = time.nowMs();
    const hasLasted = (): boolean => time.nowMs() - startMs >= LASTING_MS;
    let position = from;
    try {
      let hasTold = false;
      for await (const batch of await this.#client.watchBatches({ ...this.#selection, resourceVersion: from, bookmarks: true, timeoutSeconds, signal })) {
        hasTold = true;
        for (const { type, object } of batch) {
          if (isTurnLong()) await nextTurn(signal);
          signal.throwIfAborted();
          position = object.metadata.resourceVersion ?? position;
          if (type === 'DELETED') this.#mirror.remove(object);
          else if (type !== 'BOOKMARK') this.#mirror.put(object);
        }
      }
      return { position, isInOrder: hasTold || hasLasted() };
    } catch (cause) {
      if (hasLasted()) this.#failures = 0;
      throw new Lost(position, cause);
    } finally {
      cancel();
      ending.abort();
    }
  }

  /** No delay before the first retry: streams end all the time. */
  #pause(): Promise<void> {
    const { retryClock = systemClock, signal } = this.#options;
    const failures = this.#failures++;
    return failures === 0 ? Promise.resolve() : wait(retryClock, backoffMs(BACKOFF, failures), signal);
  }

  #report(cause: unknown): void {
    const { log = silentLog } = this.#options;
    const { plural, group } = this.#client.resource;
    if (this.#failures === (isAbsent(cause) ? PATIENT_TRIES : 1)) log.warn('cannot follow a resource, trying again', { plural, group, cause });
  }
}

/** Whether the server has compacted what came next. Who answers for another group may say so without a reason. */
const isExpired = (failure: unknown): boolean => isRefusal(failure, 'Expired', 'Gone') || (failure instanceof ApiError && failure.code === 410);

/**
 * Whether the server cannot tell what came next, as of an entry that no key opens, or of a custom resource that its webhook does not convert: that stays
 * in the way of this resourceVersion, also where the object is gone.
 */
const isInTheWay = (failure: unknown): boolean => failure instanceof ApiError && failure.code === 500;

/** A stream that broke, with its last resourceVersion. */
class Lost extends Error {
  readonly position: string;

  constructor(position: string, cause: unknown) {
    super('the watch broke off', { cause });
    this.position = position;
  }
}
