import { PrefixIndex } from '#base';
import { followerFailure, type Change, type Engine, type Key, type Revision, type StorageFailure } from '#storage';

/** A receiver of the changes below a prefix. What `change` or `flush` throws arrives in its `lost`. */
export interface FeedReader {
  /** A change below the reader's prefix. Changes come in the order of their revisions. */
  change(change: Change): void;
  /** All changes of a batch were delivered. Called only after calls of `change`; `EngineFeed.position` is the revision that was reached. */
  flush(): void;
  /** The feed was lost, or this reader could not take what it was told: it detaches, and nothing more is delivered. */
  lost(why: StorageFailure): void;
}

const EVERYTHING = '';

/** One feed of the engine for all caches of a server. A reader is called only for changes below its prefix. */
export class EngineFeed {
  readonly #engine: Engine;
  readonly #readers = new PrefixIndex<FeedReader>();
  #started: Promise<void> | undefined;
  #position: Revision = 0;
  /** Called at the end of each batch. */
  readonly #onProgress = new Set<() => void>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The revision up to which all changes were delivered. */
  get position(): Revision {
    return this.#position;
  }

  /** When it resolves, the reader gets every change after `position`. Rejects with `StorageFailure`. */
  async attach(prefix: Key, reader: FeedReader): Promise<void> {
    // The feed may be lost again before this function continues; the reader would then never be called.
    for (let started: Promise<void> | undefined; started === undefined || started !== this.#started; ) {
      started = this.#started ??= this.#start();
      await started;
    }
    this.#readers.add(prefix, reader);
  }

  detach(prefix: Key, reader: FeedReader): void {
    this.#readers.remove(prefix, reader);
  }

  /** Calls `run` after each batch. Returns a function that ends this. */
  onProgress(run: () => void): () => void {
    this.#onProgress.add(run);
    return () => this.#onProgress.delete(run);
  }

  async #start(): Promise<void> {
    try {
      this.#position = await this.#engine.head();
    } catch (cause) {
      this.#started = undefined;
      throw cause;
    }
    const changes = (batch: readonly Change[], upTo: Revision): void => this.#take(batch, upTo);
    const lost = (why: StorageFailure): void => this.#lost(why);
    this.#engine.follow(EVERYTHING, this.#position, { changes, lost }, new AbortController().signal);
  }

  #take(batch: readonly Change[], upTo: Revision): void {
    const concerned = new Set<FeedReader>();
    for (const change of batch) {
      this.#readers.matching(change.key, (reader) => {
        if (isTold(reader, () => reader.change(change))) concerned.add(reader);
        else concerned.delete(reader);
      });
    }
    this.#position = upTo;
    for (const reader of concerned) isTold(reader, () => reader.flush());
    for (const run of this.#onProgress) run();
  }

  /** The next `attach` starts the feed again. */
  #lost(why: StorageFailure): void {
    this.#started = undefined;
    const readers: FeedReader[] = [];
    this.#readers.forEach((reader) => readers.push(reader));
    for (const reader of readers) reader.lost(why);
  }
}

/** Whether a reader could take what it is told. What it cannot take, as a value that no key opens, ends the feed for this reader alone. */
function isTold(reader: FeedReader, tell: () => void): boolean {
  try {
    tell();
    return true;
  } catch (cause) {
    reader.lost(followerFailure(cause));
    return false;
  }
}
