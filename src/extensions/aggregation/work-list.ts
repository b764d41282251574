import { failureText, Retries, seldom, type Clock, type Log } from '#base';

interface WorkListOptions {
  /** What the names stand for, in log messages. */
  readonly about: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const RETRY_MS = 1_000;

/** A work queue of names: concurrent for different names, sequential for the same one. Failures are retried. */
export class WorkList {
  readonly #work: (name: string) => Promise<void>;
  readonly #options: WorkListOptions;
  /** Names in progress, and whether they were added again meanwhile. */
  readonly #running = new Map<string, boolean>();
  readonly #retries: Retries;
  readonly #isDue: (text: string) => boolean;

  constructor(work: (name: string) => Promise<void>, options: WorkListOptions) {
    this.#work = work;
    this.#options = options;
    this.#retries = new Retries(options.clock, RETRY_MS);
    this.#isDue = seldom(options.clock);
  }

  add(name: string): void {
    const isRunning = this.#running.has(name);
    this.#running.set(name, isRunning);
    if (!isRunning) void this.#run(name);
  }

  async #run(name: string): Promise<void> {
    const { signal, log, about } = this.#options;
    // Not within the write that caused the event: the write waits for this to return.
    await Promise.resolve();
    do {
      this.#running.set(name, false);
      try {
        if (!signal.aborted) await this.#work(name);
      } catch (cause) {
        if (signal.aborted) break;
        if (this.#isDue(`${name} ${failureText(cause)}`)) log.warn(`${about} could not be brought up to date, trying again`, { name, cause });
        this.#retries.later(name, () => this.add(name));
      }
    } while (this.#running.get(name) === true);
    this.#running.delete(name);
  }
}
