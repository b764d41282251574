import { deferred, type Clock } from '#base';
import type { Revision } from '#storage';

interface Waiting {
  readonly revision: Revision;
  readonly settle: (reached: boolean) => void;
}

/** Those who wait for a revision that the cache has not seen yet. @spec 4.6 */
export class RevisionWaiters {
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves to true once `reached` was told of `revision`, to false when that takes longer than `timeoutMs` or will not happen. */
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

  /** The cache shows this revision now. */
  reached(revision: Revision): void {
    for (const one of this.#waiting) if (one.revision <= revision) one.settle(true);
  }

  /** None of the revisions that are waited for will come. */
  giveUp(): void {
    for (const one of this.#waiting) one.settle(false);
  }
}
