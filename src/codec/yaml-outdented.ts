/** What may stand before the value of a line and sets how far the lines below have to be indented. */
const LEVEL = /^ *(?:[-?:] +)*/gm;

/** Where a parser has stopped: `position` is in the text, `column` in its line. */
export interface Place {
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
  #last = -1;

  constructor(text: string) {
    const levels = Array.from(text.matchAll(LEVEL), ([level]) => level.length);
    this.#spaces = ' '.repeat(levels.reduce((deepest, level) => Math.max(deepest, level), 0) + 1);
  }

  /** The text with more spaces before the line; undefined: it has some already. */
  indent(text: string, { line, position, column }: Place): string | undefined {
    if (line <= this.#last) return undefined;
    this.#last = line;
    const start = position - column;
    return `${text.slice(0, start)}${this.#spaces}${text.slice(start)}`;
  }
}
