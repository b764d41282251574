import { deferred, type Clock } from '#base';
import type { Revision } from '#storage';

interface Waiting {
  readonly revision: Revision;
  readonly settle: (reached: boolean) => void;
}

/** Reads that wait until the cache has reached a revision. @spec 4.6 */
export class RevisionWaiters {
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether nobody waits. */
  get areNone(): boolean {
    return this.#waiting.size === 0;
  }

  /** Resolves with true once `reached` is called with `revision` or a higher one, with false after `timeoutMs` or when `giveUp` is called. */
  wait(revision: Revision, timeoutMs: number): Promise<boolean> {
    const outcome = deferred<boolean>();
    const settle = (reached: boolean): void => {
      cancel();
      this.#waiting.delete(waiting);
      outcome.resolve(reached);
    };
    const waiting: Waiting = { revision, settle };
    const cancel = this.#clock.after(timeoutMs, () => settle(false));
    this.#waiting.add(waiting);
    return outcome.promise;
  }

  /** The cache has reached this revision. */
  reached(revision: Revision): void {
    for (const one of this.#waiting) if (one.revision <= revision) one.settle(true);
  }

  /** The feed was lost: the cache will not reach the awaited revisions. */
  giveUp(): void {
    for (const one of this.#waiting) one.settle(false);
  }
}
