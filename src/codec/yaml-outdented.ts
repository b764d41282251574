/** What may be read over and over again for the lines of one text: some thousand lines of an ordinary manifest. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
/** What may stand before the value of a line and sets how far the lines below have to be indented. */
const LEVEL = /^ *(?:[-?:] +)*/gm;

/** Where a parser has stopped: `position` is in the text, `column` in its line. */
interface Place {
  readonly line: number;
  readonly position: number;
  readonly column: number;
}

/**
 * Indents lines that begin further left than YAML wants it inside of brackets and quotes, such as one with a bracket that stands below the key of its
 * list. Spaces mean nothing there, the parser of Kubernetes takes such lines, and ours names them one after another.
 */
export class OutdentedLines {
  readonly #spaces: string;
  #left = MAX_CHARACTERS;
  #last = -1;

  constructor(text: string) {
    const levels = Array.from(text.matchAll(LEVEL), ([level]) => level.length);
    this.#spaces = ' '.repeat(levels.reduce((deepest, level) => Math.max(deepest, level), 0) + 1);
  }

  /** The text with more spaces before the line; undefined: it has some already, or the text has been read too often. */
  indent(text: string, { line, position, column }: Place): string | undefined {
    this.#left -= text.length;
    if (line <= this.#last || this.#left < 0) return undefined;
    this.#last = line;
    const start = position - column;
    return `${text.slice(0, start)}${this.#spaces}${text.slice(start)}`;
  }
}
