import { FifoMap, isTurnLong, nextTurn, shownValue, type Clock } from '#base';
import { isRefusal } from '#errors';
import { backoffMs, type Backoff } from './backoff.ts';

/** Processes one key. Resolves to the milliseconds until it is due again, or undefined when done. Failures are retried. */
export type Work = (key: string) => Promise<number | undefined>;

/** Observes work queues, for metrics. */
export interface QueueObserver {
  /** A key was added. */
  added(queue: string): void;
  /** Work on a key begins; the returned function is called at its end. */
  began(queue: string, waitedMs: number): () => void;
  /** A key failed and is retried. */
  retried(queue: string): void;
  /** Number of keys that were dropped because the queue stopped. */
  dropped(queue: string, count: number): void;
}

/** How a queue works through its keys. */
export interface WorkQueueOptions {
  /** For the observer. Default: empty. */
  readonly name?: string;
  /** Default: none. */
  readonly observer?: QueueObserver | undefined;
  /** Times keys that are due later. */
  readonly clock: Clock;
  /** Times retries after failures. Default: `clock`. */
  readonly retryClock?: Clock;
  readonly work: Work;
  /** Keys processed concurrently. Default 1. */
  readonly workers?: number;
  /** Default: 5 ms to 1000 s. */
  readonly backoff?: Backoff;
  /**
   * Called for failures, with how often the key has failed by then; it is retried in any case. Not called for a few conflicts: an informer that is behind
   * causes them, and the next try has what it had not seen.
   */
  readonly onFailure?: (key: string, cause: unknown, failures: number) => void;
}

/** How many conflicts are nothing but an informer that is behind. */
const USUAL_CONFLICTS = 5;
const BACKOFF: Backoff = { firstMs: 5, longestMs: 1_000_000 };

/**
 * A work queue of keys. A key waits at most once, however often it is added, and is never processed twice at the same time: added while it is
 * processed, it waits again afterwards. Nothing is processed before `start`.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #retryClock: Clock;
  readonly #work: Work;
  readonly #workers: number;
  readonly #backoff: Backoff;
  readonly #onFailure: NonNullable<WorkQueueOptions['onFailure']>;
  readonly #name: string;
  readonly #observer: QueueObserver | undefined;
  /** Waiting keys in order of arrival, with the time of arrival where there is an observer. */
  readonly #waiting = new FifoMap<string, number>();
  readonly #working = new Map<string, { isAddedAgain: boolean }>();
  readonly #later = new Map<string, { readonly atMs: number; readonly clock: Clock; readonly cancel: () => void }>();
  readonly #failures = new Map<string, number>();
  #isOpen = false;
  #isStopped = false;
  #atRest: (() => void)[] = [];

  constructor({ name = '', observer, clock, retryClock = clock, work, workers = 1, backoff = BACKOFF, onFailure = () => {} }: WorkQueueOptions) {
    this.#name = name;
    this.#observer = observer;
    this.#clock = clock;
    this.#retryClock = retryClock;
    this.#work = work;
    this.#workers = workers;
    this.#backoff = backoff;
    this.#onFailure = onFailure;
  }

  /** Keys that wait or are processed; those that are due later do not count. */
  get size(): number {
    return this.#waiting.size + this.#working.size;
  }

  add(key: string): void {
    if (this.#isStopped) return;
    this.#forgetLater(key);
    const current = this.#working.get(key);
    if (current !== undefined) current.isAddedAgain = true;
    else {
      if (!this.#waiting.has(key)) {
        this.#waiting.set(key, this.#observer === undefined ? 0 : performance.now());
        this.#observer?.added(this.#name);
      }
      this.#next();
    }
  }

  /** Adds the key after `delayMs`, or earlier if it was already due earlier. */
  addAfter(key: string, delayMs: number): void {
    this.#addLater(key, delayMs, this.#clock);
  }

  #addLater(key: string, delayMs: number, clock: Clock): void {
    if (this.#isStopped || this.#waiting.has(key)) return;
    if (delayMs <= 0) return this.add(key);
    const atMs = clock.nowMs() + delayMs;
    const later = this.#later.get(key);
    if (later?.clock === clock && later.atMs <= atMs) return;
    this.#forgetLater(key);
    this.#later.set(key, { atMs, clock, cancel: clock.after(delayMs, () => this.add(key)) });
  }

  start(): void {
    this.#isOpen = true;
    this.#next();
  }

  /** Stops taking keys. Resolves when keys in progress are done. */
  stop(): Promise<void> {
    this.#isStopped = true;
    this.#observer?.dropped(this.#name, this.#waiting.size);
    this.#waiting.clear();
    for (const { cancel } of this.#later.values()) cancel();
    this.#later.clear();
    return new Promise((resolve) => {
      if (this.#working.size === 0) resolve();
      else this.#atRest.push(resolve);
    });
  }

  #next(): void {
    while (this.#isOpen && this.#working.size < this.#workers) {
      const first = this.#waiting.take();
      if (first === undefined) return;
      const [key, sinceMs] = first;
      const state = { isAddedAgain: false };
      this.#working.set(key, state);
      void this.#take(key, state, this.#observer?.began(this.#name, performance.now() - sinceMs));
    }
  }

  async #take(key: string, state: { readonly isAddedAgain: boolean }, ended: (() => void) | undefined): Promise<void> {
    let againMs: number | undefined;
    let clock = this.#clock;
    const beganMs = clock.nowMs();
    try {
      // Plain JavaScript may answer anything, also null for nothing.
      againMs = ((await this.#work(key)) as number | null | undefined) ?? undefined;
      // As of a date that is none: a timer would fire at once, again and again.
      if (againMs !== undefined && (typeof againMs !== 'number' || Number.isNaN(againMs))) throw new RangeError(`when the key is due again is not a number of milliseconds, but ${shownValue(againMs)}`);
      this.#failures.delete(key);
      // From when the work looked at the clock, which was not before it began: a clock that is turned while it ends would leave the key for later.
      if (againMs !== undefined) againMs -= Math.max(0, clock.nowMs() - beganMs);
    } catch (cause) {
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      againMs = backoffMs(this.#backoff, failures);
      clock = this.#retryClock;
      if (!this.#isStopped) {
        this.#observer?.retried(this.#name);
        if (failures > USUAL_CONFLICTS || !isRefusal(cause, 'Conflict')) this.#onFailure(key, cause, failures);
      }
    }
    ended?.();
    // Before anything is waited for: the delay counts from now.
    if (againMs !== undefined && !state.isAddedAgain) this.#addLater(key, againMs, clock);
    // Work that waits for nothing never leaves the microtask queue: without this, nothing else would run until all keys are done.
    if (isTurnLong()) await nextTurn();
    this.#working.delete(key);
    if (this.#isStopped) {
      if (this.#working.size === 0) for (const resolve of this.#atRest.splice(0)) resolve();
      return;
    }
    if (state.isAddedAgain) this.add(key);
    this.#next();
  }

  #forgetLater(key: string): void {
    this.#later.get(key)?.cancel();
    this.#later.delete(key);
  }
}
