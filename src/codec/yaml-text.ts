import { resolvePlain } from './yaml-scalar.ts';

/** The YAML styles of strings. */
export type Style = 'plain' | 'single' | 'double' | 'literal';

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
export function styleOf(text: string, isKey: boolean): Style {
  const isSpecial = UNPRINTABLE.test(text) || BREAKS.test(text) || text.includes(' \n');
  if (text.includes('\n')) return isKey || isSpecial || text.endsWith(' ') ? 'double' : 'literal';
  if (typeof resolvePlain(text) !== 'string' || text === '<<' || BASE_60.test(text) || MOMENT.test(text)) return 'double';
  if (isSpecial) return 'double';
  const isEdged = text.startsWith(' ') || text.endsWith(' ');
  return isEdged || STARTS_LIKE_SYNTAX.test(text) || HOLDS_SYNTAX.test(text) ? 'single' : 'plain';
}

/** Lines longer than this are broken at the next single space, where the style allows. */
const WIDTH = 80;

/** A string in a flow style (plain or quoted), folded into lines. `column`: where it begins; `indent`: the indentation of further lines. */
export function writeInline(text: string, style: Style, column: number, indent: number, isKey: boolean): string {
  const content = style === 'single' ? text.replaceAll("'", "''") : style === 'double' ? escape(text) : text;
  const mark = style === 'single' ? "'" : style === 'double' ? '"' : '';
  return mark + (isKey ? content : fold(content, style, column + mark.length, indent)) + mark;
}

const SURROGATE = /[\ud800-\udfff]/;

/** Folds a text at spaces: lines break nowhere else, and a single word may be as long as the whole value. */
function fold(text: string, style: Style, from: number, indent: number): string {
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
    if (!follows && column > WIDTH && isInside && (style === 'double' || !isFollowed)) {
      // A space at the start of a line would be lost.
      const guard = style === 'double' && isFollowed ? '\\' : '';
      out += `\n${' '.repeat(indent)}${guard}`;
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

/** A string of several lines in literal style. `indent`: the indentation of its lines. */
export function writeLiteral(text: string, indent: number): string {
  const hint = text.startsWith(' ') || text.startsWith('\n') ? '2' : '';
  const chomp = !text.endsWith('\n') ? '-' : text.length === 1 || text.endsWith('\n\n') ? '+' : '';
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  return `|${hint}${chomp}${lines.map((line) => (line === '' ? '\n' : `\n${' '.repeat(indent)}${line}`)).join('')}`;
}
