import type { Clock, Log } from '#base';

interface WorkListOptions {
  /** What the names are, in a message to the operator. */
  readonly about: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const RETRY_MS = 1_000;

/** Does the same work for many names: at the same time for different names, one after the other for the same one. What fails is tried again. */
export class WorkList {
  readonly #work: (name: string) => Promise<void>;
  readonly #options: WorkListOptions;
  /** Names that are worked on, and whether there was news of them meanwhile. */
  readonly #running = new Map<string, boolean>();

  constructor(work: (name: string) => Promise<void>, options: WorkListOptions) {
    this.#work = work;
    this.#options = options;
  }

  add(name: string): void {
    const isRunning = this.#running.has(name);
    this.#running.set(name, isRunning);
    if (!isRunning) void this.#run(name);
  }

  async #run(name: string): Promise<void> {
    const { signal, log, clock, about } = this.#options;
    // Not within the write that brought the news: it waits for this to return.
    await Promise.resolve();
    do {
      this.#running.set(name, false);
      try {
        if (!signal.aborted) await this.#work(name);
      } catch (cause) {
        if (signal.aborted) break;
        log.warn(`${about} could not be brought up to date, trying again`, { name, cause });
        clock.after(RETRY_MS, () => this.add(name));
      }
    } while (this.#running.get(name) === true && !signal.aborted);
    this.#running.delete(name);
  }
}
