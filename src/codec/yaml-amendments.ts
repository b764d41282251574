import { OutdentedLines, type Place } from './yaml-outdented.ts';

/** What may be read over and over again for the places of one text: some thousand of an ordinary manifest. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/** Why the parser stops, in its words. */
const OUTDENTED = 'deficient indentation';
const NO_COMMA = 'missed comma between flow collection entries';

const OPENING: ReadonlySet<string> = new Set(['[', '{']);
const BREAKS: ReadonlySet<string> = new Set(['', '\n', '\r']);
const LONE_DASH = /-(?=[,\]}])/y;

/**
 * What the parser of Kubernetes takes and ours does not, written as ours takes it, one place after another where ours stops. It means the same.
 */
export class Amendments {
  readonly #text: string;
  #lines: OutdentedLines | undefined;
  #left = MAX_CHARACTERS;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text with one place amended; undefined: there is nothing to amend where the parser stopped, or the text has been read too often. */
  amend(text: string, reason: string, place: Place): string | undefined {
    this.#left -= text.length;
    if (this.#left < 0) return undefined;
    if (reason === NO_COMMA) return withQuotedDash(text, place.position);
    if (reason !== OUTDENTED) return undefined;
    return withoutTab(text, place.position) ?? (this.#lines ??= new OutdentedLines(this.#text)).indent(text, place);
  }
}

/** With quotes around a dash that is all of an item or value inside of brackets, as in `[cat, -]`. */
function withQuotedDash(text: string, position: number): string | undefined {
  LONE_DASH.lastIndex = position;
  return LONE_DASH.test(text) ? `${text.slice(0, position)}"-"${text.slice(position + 1)}` : undefined;
}

/** With spaces for the tabs that stand before what is read next, or before the bracket just read. The parser takes them for a wrong indentation. */
function withoutTab(text: string, position: number): string | undefined {
  const from = blanksBefore(text, position);
  const before = OPENING.has(text.charAt(from - 1)) ? from - 1 : from;
  return withSpaces(text, from, position) ?? withSpaces(text, blanksBefore(text, before), before);
}

/** Where the blanks begin that end here. */
function blanksBefore(text: string, end: number): number {
  let from = end;
  while (text[from - 1] === ' ' || text[from - 1] === '\t') from--;
  return from;
}

/** Blanks at the start of a line indent it. */
function withSpaces(text: string, from: number, end: number): string | undefined {
  const blanks = text.slice(from, end);
  if (!blanks.includes('\t') || BREAKS.has(text.charAt(from - 1))) return undefined;
  return text.slice(0, from) + blanks.replaceAll('\t', ' ') + text.slice(end);
}
