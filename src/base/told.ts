/** So many characters of what is wrong are told; nobody reads more. */
const MAX_CHARACTERS = 1024 * 1024;

/**
 * How much of what is wrong has been told. Faults multiply: a long key stands in the path of each part below it, and some faults show the whole of
 * what they are about.
 */
export class Told {
  #characters = 0;

  /** Whether nothing more is to be told. */
  get isEnough(): boolean {
    return this.#characters > MAX_CHARACTERS;
  }

  /** So many characters more. */
  add(characters: number): void {
    this.#characters += characters;
  }
}
