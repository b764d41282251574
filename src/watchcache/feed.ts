import { PrefixIndex } from '#base';
import type { Change, Engine, Key, Revision, StorageFailure } from '#storage';

/** Who is told of the changes below a prefix. */
export interface FeedReader {
  /** A change below the reader's prefix. Changes come in the order of their revisions. */
  change(change: Change): void;
  /** The changes of one moment have all been told. Called only after there were some; how far the feed has come says its `position`. */
  flush(): void;
  /** Nothing more will come. */
  lost(why: StorageFailure): void;
}

const EVERYTHING = '';

/** One feed of the engine for all caches of a server, split by key: whoever is not concerned by a change is not called. */
export class EngineFeed {
  readonly #engine: Engine;
  readonly #readers = new PrefixIndex<FeedReader>();
  #started: Promise<void> | undefined;
  #position: Revision = 0;
  /** Called at the end of each batch that brought the position forward. */
  readonly #onProgress = new Set<() => void>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Everything up to here has been told. */
  get position(): Revision {
    return this.#position;
  }

  /** From when this resolves the reader is told of every change after `position`. Throws `StorageFailure`. */
  async attach(prefix: Key, reader: FeedReader): Promise<void> {
    // It may be lost again before this goes on: then nobody would tell the reader.
    for (let started: Promise<void> | undefined; started === undefined || started !== this.#started; ) {
      started = this.#started ??= this.#start();
      await started;
    }
    this.#readers.add(prefix, reader);
  }

  detach(prefix: Key, reader: FeedReader): void {
    this.#readers.remove(prefix, reader);
  }

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
    const told = new Set<FeedReader>();
    for (const change of batch) {
      this.#readers.matching(change.key, (reader) => {
        reader.change(change);
        told.add(reader);
      });
    }
    this.#position = upTo;
    for (const reader of told) reader.flush();
    for (const run of this.#onProgress) run();
  }

  /** Whoever attaches after this starts it again. */
  #lost(why: StorageFailure): void {
    this.#started = undefined;
    const readers: FeedReader[] = [];
    this.#readers.forEach((reader) => readers.push(reader));
    for (const reader of readers) reader.lost(why);
    for (const run of this.#onProgress) run();
  }
}
