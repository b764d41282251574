import { isTurnLong, nextTurn } from '#base';
import type { Received } from '#request';

/** Items per turn of the event loop; other requests make progress between turns. */
const ITEMS_PER_TURN = 1000;
/** Some items are a thousand times as large as most: the duration of the turn is checked after every few items. */
const CHECKED_EVERY = 2;

/** Spreads the making of one long response over turns of the event loop. */
export class Turns {
  readonly #request: Pick<Received, 'signal'>;
  #done = 0;
  #sinceCheck = 0;

  constructor(request: Pick<Received, 'signal'>) {
    this.#request = request;
  }

  /**
   * Whether other work has used up this turn, so that `next` is to be awaited. To be asked right before the work begins or resumes: of many who await
   * something in between all find the turn free, and then work in it one after another.
   */
  get isUsedUp(): boolean {
    return isTurnLong();
  }

  /** Counts finished items. Returns a promise where the rest is left to the next turn; it rejects when the request has been aborted. */
  after(items: number): Promise<void> | undefined {
    this.#done += items;
    this.#sinceCheck += items;
    return this.#done >= ITEMS_PER_TURN || this.#isLate() ? this.next() : undefined;
  }

  #isLate(): boolean {
    if (this.#sinceCheck < CHECKED_EVERY) return false;
    this.#sinceCheck = 0;
    return isTurnLong();
  }

  /** Runs `run` for every item, in as many turns as it takes. Rejects like `after`. */
  async each<T>(items: readonly T[], run: (item: T) => void): Promise<void> {
    for (const item of items) {
      run(item);
      const due = this.after(1);
      if (due !== undefined) await due;
    }
  }

  /** Resolves in a turn for the work; rejects when the request has been aborted. */
  async next(): Promise<void> {
    const { signal } = this.#request;
    await nextTurn(signal);
    signal.throwIfAborted();
    this.#done = 0;
  }
}
