/** Runs that follow one another. All who ask while one is under way share the next, which begins after each of them has asked. */
export class SharedRuns<T> {
  readonly #run: () => Promise<T>;
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<T> | undefined;

  constructor(run: () => Promise<T>) {
    this.#run = run;
  }

  /** Resolves to the result of the next run to begin; rejects with its failure. */
  next(): Promise<T> {
    return (this.#next ??= this.#begin());
  }

  async #begin(): Promise<T> {
    await this.#last;
    this.#next = undefined;
    const run = this.#run();
    this.#last = run.then(done, done);
    return run;
  }
}

const done = (): void => {};
