import { isTurnLong, nextTurn } from '#base';

/** Made in one turn of the event loop; between turns others get on. */
const ITEMS_PER_TURN = 1000;
/** Some are a thousand times as large as most: what they took of the turn is looked at after every few. */
const LOOKED_AT_EVERY = 2;

/** The turns in which one long answer is made. */
export class Turns {
  #done = 0;
  #looked = 0;

  /** So many items are done. A promise where the rest is for another turn. */
  after(items: number): Promise<void> | undefined {
    this.#done += items;
    const isLate = ++this.#looked % LOOKED_AT_EVERY === 0 && isTurnLong();
    return isLate || this.#done >= ITEMS_PER_TURN ? this.#next() : undefined;
  }

  async #next(): Promise<void> {
    await nextTurn();
    this.#done = 0;
  }
}
