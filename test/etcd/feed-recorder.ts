import type { Change, Engine, Key, Revision, StorageFailure } from '#storage';

/** Keeps what a feed tells, and lets tests wait for it without a clock. */
export class FeedRecorder {
  readonly changes: Change[] = [];
  lost: StorageFailure | undefined;
  upTo: Revision;
  readonly #abort = new AbortController();
  #waiting: (() => boolean)[] = [];

  constructor(engine: Engine, prefix: Key, after: Revision) {
    this.upTo = after;
    const changes = (batch: readonly Change[], upTo: Revision): void => {
      for (const change of batch) this.changes.push(change);
      this.upTo = upTo;
      this.#wake();
    };
    const lost = (why: StorageFailure): void => {
      this.lost = why;
      this.#wake();
    };
    engine.follow(prefix, after, { changes, lost }, this.#abort.signal);
  }

  /** Resolves when everything up to `revision` was told, or nothing more will be. */
  reached(revision: Revision): Promise<void> {
    return this.#until(() => this.upTo >= revision || this.lost !== undefined);
  }

  ended(): Promise<void> {
    return this.#until(() => this.lost !== undefined);
  }

  stop(): void {
    this.#abort.abort();
  }

  #until(isThere: () => boolean): Promise<void> {
    if (isThere()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(() => {
        if (isThere()) resolve();
        return isThere();
      });
    });
  }

  #wake(): void {
    this.#waiting = this.#waiting.filter((isDone) => !isDone());
  }
}
