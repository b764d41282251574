/**
 * The most spaces before lines in one document. Real objects have a tenth of that at most. Without a limit a deep object of two megabytes would be a
 * document of hundreds: deep inside, each of its words is a line behind a thousand spaces.
 */
const MAX_SPACES = 4 * 1024 * 1024;

/** Counts the spaces before the lines of one document. */
export class Indentation {
  #left = MAX_SPACES;

  /** Whether there is still room for so many lines. If so, they are counted. */
  takes(lines: number, indent: number): boolean {
    const spaces = lines * indent;
    if (spaces > this.#left) return false;
    this.#left -= spaces;
    return true;
  }
}

const known: string[] = [];

/** The end of a line and the spaces before the next one. */
export const lineBreak = (indent: number): string => (known[indent] ??= `\n${' '.repeat(indent)}`);
