import { LINKS, TEXT_ONLY } from './page-links.table.ts';

/** A longer tag stays as it is: what is not complete yet is kept. */
const MAX_TAG_CHARACTERS = 16 * 1024;

/** What ends a part of a page without tags, and how much of its end may be split between two pieces. */
interface Until {
  readonly pattern: RegExp;
  readonly kept: number;
}

const COMMENT: Until = { pattern: /--!?>/g, kept: 3 };
const DECLARATION: Until = { pattern: />/g, kept: 0 };
const contentOf = (element: string): Until => ({ pattern: new RegExp(`</${element}(?=[\\s/>])`, 'gi'), kept: element.length + 2 });

/**
 * Moves the links of an HTML page that comes in pieces, one character for each byte. Everything else stays as it is, also where it is no HTML. `move`
 * returns the URL to write, as it stands in HTML; undefined: that of the page.
 */
export class PageLinks {
  readonly #move: (url: string) => string | undefined;
  #rest = '';
  #until: Until | undefined;

  constructor(move: (url: string) => string | undefined) {
    this.#move = move;
  }

  /** The page as far as `piece` completes it. */
  push(piece: string): string {
    const text = this.#rest + piece;
    // What may be a tag is read again only when there may be its end.
    if (this.#rest !== '' && this.#until === undefined && text.length < MAX_TAG_CHARACTERS && !piece.includes('>')) {
      this.#rest = text;
      return '';
    }
    let out = '';
    let at = 0;
    while (at < text.length) {
      const [begin, wasInside] = [at, this.#until !== undefined];
      const end = this.#until === undefined ? this.#nextMark(text, at) : this.#endOf(text, at, this.#until);
      at = end ?? this.#settled(text, at);
      out += text.slice(begin, at);
      if (end === undefined) break;
      if (wasInside || this.#until !== undefined) continue;
      const head = text.slice(at, at + MAX_TAG_CHARACTERS);
      const tag = firstTag(head);
      if (tag === undefined && head.length < MAX_TAG_CHARACTERS) break;
      // A tag that is too long passes unread: looking for others behind each of its characters would take the square of its length.
      out += tag === undefined ? head : this.#written(head, tag);
      at += tag?.end ?? head.length;
      if (tag !== undefined && TEXT_ONLY.has(tag.element)) this.#until = contentOf(tag.element);
    }
    this.#rest = text.slice(at);
    return out;
  }

  /** What is left of a page that has ended. */
  end(): string {
    return this.#rest;
  }

  /** How far a text without an end is of no more interest. */
  #settled(text: string, from: number): number {
    return this.#until === undefined ? text.length : Math.max(from, text.length - this.#until.kept);
  }

  /** Where the next tag begins, or the inside of what has no tags; undefined: neither does. */
  #nextMark(text: string, from: number): number | undefined {
    for (let at = text.indexOf('<', from); at !== -1; at = text.indexOf('<', at + 1)) {
      const next = text.slice(at + 1, at + 3);
      if (next === '' || next === '/' || TAG_START.test(next)) return at;
      if (!/^[!?/]/.test(next)) continue;
      const isComment = text.startsWith('<!--', at);
      // The first characters may come apart.
      if (!isComment && '<!--'.startsWith(text.slice(at))) return at;
      this.#until = isComment ? COMMENT : DECLARATION;
      return at + 2;
    }
    return undefined;
  }

  #endOf(text: string, from: number, { pattern }: Until): number | undefined {
    pattern.lastIndex = from;
    if (pattern.exec(text) === null) return undefined;
    this.#until = undefined;
    return pattern.lastIndex;
  }

  #written(text: string, { element, end, values }: Tag): string {
    const links = LINKS.get(element);
    let out = '';
    let at = 0;
    for (const { name, begin, end: close, isQuoted } of links === undefined ? [] : values) {
      const moved = links?.has(name) === true ? this.#move(text.slice(begin, close)) : undefined;
      if (moved === undefined || moved === text.slice(begin, close)) continue;
      out += text.slice(at, begin) + (isQuoted ? moved : `"${moved.replaceAll('"', '&#34;')}"`);
      at = close;
    }
    return out + text.slice(at, end);
  }
}

interface Tag {
  /** Empty: it ends an element. */
  readonly element: string;
  readonly end: number;
  readonly values: readonly Value[];
}

interface Value {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
  readonly isQuoted: boolean;
}

const TAG_START = /^\/?[A-Za-z]/;
const NAME_END = /[\t\n\f\r />]/g;
const ATTRIBUTE_END = /[\t\n\f\r />=]/g;
const NOT_BETWEEN = /[^\t\n\f\r /]/g;
const NOT_SPACE = /[^\t\n\f\r ]/g;
const VALUE_END = /[\t\n\f\r >]/g;

function indexOf(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index;
}

/** The tag that the text begins with; undefined: it is not complete. */
function firstTag(text: string): Tag | undefined {
  const isEnd = text[1] === '/';
  const nameAt = isEnd ? 2 : 1;
  const nameEnd = indexOf(NAME_END, text, nameAt);
  if (nameEnd === undefined) return undefined;
  const element = isEnd ? '' : text.slice(nameAt, nameEnd).toLowerCase();
  const values: Value[] = [];
  for (let at = indexOf(NOT_BETWEEN, text, nameEnd); at !== undefined; at = indexOf(NOT_BETWEEN, text, at)) {
    if (text[at] === '>') return { element, end: at + 1, values };
    const close = indexOf(ATTRIBUTE_END, text, at + 1);
    const next = close === undefined ? undefined : indexOf(NOT_SPACE, text, close);
    if (close === undefined || next === undefined) return undefined;
    if (text[next] !== '=') {
      at = close;
      continue;
    }
    const value = valueAt(text, next + 1);
    if (value === undefined) return undefined;
    values.push({ ...value, name: text.slice(at, close).toLowerCase() });
    at = value.end + (value.isQuoted ? 1 : 0);
  }
  return undefined;
}

function valueAt(text: string, from: number): Omit<Value, 'name'> | undefined {
  const at = indexOf(NOT_SPACE, text, from);
  if (at === undefined) return undefined;
  const quote = text[at] as string;
  if (quote === '"' || quote === "'") {
    const end = text.indexOf(quote, at + 1);
    return end === -1 ? undefined : { begin: at + 1, end, isQuoted: true };
  }
  const end = indexOf(VALUE_END, text, at);
  return end === undefined ? undefined : { begin: at, end, isQuoted: false };
}
