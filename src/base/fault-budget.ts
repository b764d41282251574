/** The most characters of messages that are reported for one object. */
export const MAX_FAULT_CHARACTERS = 1024 * 1024;

/**
 * Limits the total length of the faults that are reported for one object. Faults multiply: a long key is repeated in the path of every field below
 * it, and some faults include the whole value that they are about.
 */
export class FaultBudget {
  #characters = 0;

  /** Whether the budget is used up: no further faults are reported. */
  get isEnough(): boolean {
    return this.#characters > MAX_FAULT_CHARACTERS;
  }

  /** Counts the characters of a reported fault. */
  add(characters: number): void {
    this.#characters += characters;
  }
}
