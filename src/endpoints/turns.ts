import { isTurnLong, nextTurn } from '#base';
import type { Received } from '#request';

/** Made in one turn of the event loop; between turns others get on. */
const ITEMS_PER_TURN = 1000;
/** Some are a thousand times as large as most: what they took of the turn is looked at after every few. */
const LOOKED_AT_EVERY = 2;

/** The turns in which one long answer is made. */
export class Turns {
  readonly #request: Pick<Received, 'signal'>;
  #done = 0;
  #unlooked = 0;

  constructor(request: Pick<Received, 'signal'>) {
    this.#request = request;
  }

  /** Before the work begins, or goes on after a pause: a promise where others have had this turn. Rejects like that of `after`. */
  begin(): Promise<void> | undefined {
    return isTurnLong() ? this.#next() : undefined;
  }

  /** So many items are done. A promise where the rest is for another turn; it rejects when nobody waits for the answer any more. */
  after(items: number): Promise<void> | undefined {
    this.#done += items;
    this.#unlooked += items;
    return this.#done >= ITEMS_PER_TURN || this.#isLate() ? this.#next() : undefined;
  }

  #isLate(): boolean {
    if (this.#unlooked < LOOKED_AT_EVERY) return false;
    this.#unlooked = 0;
    return isTurnLong();
  }

  /** Does this with every item, in as many turns as it takes. Rejects like `after`. */
  async each<T>(items: readonly T[], run: (item: T) => void): Promise<void> {
    for (const item of items) {
      run(item);
      const due = this.after(1);
      if (due !== undefined) await due;
    }
  }

  async #next(): Promise<void> {
    await nextTurn();
    this.#request.signal.throwIfAborted();
    this.#done = 0;
  }
}
