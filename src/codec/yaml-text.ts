import { utf8Length } from '#base';
import { lineBreak, type Indentation } from './yaml-indentation.ts';
import { resolvePlain } from './yaml-scalar.ts';

/** The YAML styles of strings. */
type Style = 'plain' | 'single' | 'double' | 'literal';

/** Characters that must be escaped; printable ones beyond ASCII need not be. */
const UNPRINTABLE = /[^\n\x20-\x7e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
const BREAKS = /[\r\u0085\u2028\u2029]/;
const STARTS_LIKE_SYNTAX = /^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`]|[-?:](?:[ \n]|$))/;
const HOLDS_SYNTAX = /:(?:[ \n]|$)|[ \n]#/;
/** Strings that YAML 1.1 reads as numbers to the base of 60, such as times of day. */
const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/** Strings that YAML 1.1 reads as timestamps. */
const MOMENT = /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]| +)[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2})?)?$/;

/** The style for a string as a value of a block mapping or list, or, with `isKey`, as a key. */
function styleOf(text: string, isKey: boolean): Style {
  const isSpecial = UNPRINTABLE.test(text) || BREAKS.test(text) || text.includes(' \n');
  if (text.includes('\n')) return isKey || isSpecial || text.endsWith(' ') ? 'double' : 'literal';
  if (typeof resolvePlain(text) !== 'string' || text === '<<' || BASE_60.test(text) || MOMENT.test(text)) return 'double';
  if (isSpecial) return 'double';
  const isEdged = text.startsWith(' ') || text.endsWith(' ');
  return isEdged || STARTS_LIKE_SYNTAX.test(text) || HOLDS_SYNTAX.test(text) ? 'single' : 'plain';
}

/** In bytes. */
const MAX_SIMPLE_KEY = 128;

/** Whether a key is short enough to stand without the mark of a key (`? key`). */
export const isShortKey = (key: string): boolean => utf8Length(key) <= MAX_SIMPLE_KEY;

/** Lines longer than this are broken at the next single space, where the style allows. */
const WIDTH = 80;

/** Where a string stands. */
export interface TextPlace {
  /** The column where it begins. */
  readonly column: number;
  /** The indentation of further lines. */
  readonly indent: number;
}

/** A key, on one line. */
export function writeKey(key: string): string {
  const style = styleOf(key, true);
  return style === 'double' ? inDoubleQuotes(key) : style === 'single' ? `'${key.replaceAll("'", "''")}'` : key;
}

/** A string as a value, in lines as far as there is room for their indentation. */
export function writeText(text: string, { column, indent }: TextPlace, indentation: Indentation): string {
  const style = styleOf(text, false);
  if (style === 'literal') return writeLiteral(text, indent, indentation);
  const content = style === 'single' ? text.replaceAll("'", "''") : style === 'double' ? escape(text) : text;
  const mark = style === 'single' ? "'" : style === 'double' ? '"' : '';
  return mark + fold(content, style, { column: column + mark.length, indent }, indentation) + mark;
}

/** A string on one line, whatever is in it. */
export const inDoubleQuotes = (text: string): string => `"${escape(text)}"`;

const SURROGATE = /[\ud800-\udfff]/;

/** Folds a text at spaces: lines break nowhere else, and a single word may be as long as the whole value. */
function fold(text: string, style: Style, { column: from, indent }: TextPlace, indentation: Indentation): string {
  if (from + text.length <= WIDTH) return text;
  const isWide = SURROGATE.test(text);
  let out = '';
  let column = from;
  let at = 0;
  for (let space = text.indexOf(' '); space >= 0; space = text.indexOf(' ', at)) {
    const word = text.slice(at, space);
    out += word;
    column += isWide ? [...word].length : word.length;
    const follows = space === at && space > 0;
    const isFollowed = text[space + 1] === ' ';
    const isInside = style === 'plain' || (space > 0 && space < text.length - 1);
    if (!follows && column > WIDTH && isInside && (style === 'double' || !isFollowed) && indentation.takes(1, indent)) {
      // A space at the start of a line would be lost.
      const guard = style === 'double' && isFollowed ? '\\' : '';
      out += lineBreak(indent) + guard;
      column = indent + guard.length;
    } else {
      out += ' ';
      column++;
    }
    at = space + 1;
  }
  return out + text.slice(at);
}

const ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x00, '0'],
  [0x07, 'a'],
  [0x08, 'b'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0b, 'v'],
  [0x0c, 'f'],
  [0x0d, 'r'],
  [0x1b, 'e'],
  [0x22, '"'],
  [0x5c, '\\'],
  [0x85, 'N'],
  [0x2028, 'L'],
  [0x2029, 'P'],
]);

/** Characters that are escaped in a double-quoted string. */
const ESCAPED = /[^\x20\x21\x23-\x5b\x5d-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/gu;

const escape = (text: string): string =>
  text.replace(ESCAPED, (character) => {
    const code = character.codePointAt(0) as number;
    const name = ESCAPES.get(code);
    return name === undefined ? escapeCode(code) : `\\${name}`;
  });

function escapeCode(code: number): string {
  const digits = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${digits.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
}

/** A string of several lines in literal style. */
function writeLiteral(text: string, indent: number, indentation: Indentation): string {
  const hint = text.startsWith(' ') || text.startsWith('\n') ? '2' : '';
  const chomp = !text.endsWith('\n') ? '-' : text.length === 1 || text.endsWith('\n\n') ? '+' : '';
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  if (!indentation.takes(lines.filter((line) => line !== '').length, indent)) return inDoubleQuotes(text);
  return `|${hint}${chomp}${lines.map((line) => (line === '' ? '\n' : lineBreak(indent) + line)).join('')}`;
}
