/** A step of a path: from each value found so far to others. */
export type Step =
  | { readonly is: 'member'; readonly name: string }
  | { readonly is: 'all' | 'everywhere' }
  /** Some items of a list. `isOne`: the one at `from`. */
  | { readonly is: 'items'; readonly from: number; readonly to: number | undefined; readonly by: number; readonly isOne: boolean }
  | { readonly is: 'union'; readonly paths: readonly (readonly Step[])[] }
  /** Items of a list. Without an operator those in which the path finds something. */
  | { readonly is: 'filter'; readonly path: readonly Step[]; readonly operator: string; readonly operand: readonly Step[] }
  /** A value in place of what was found. */
  | { readonly is: 'value'; readonly value: unknown }
  /** A word that means nothing: a path with it is one, and leads nowhere. */
  | { readonly is: 'word' };

/** Where a member name ends, unless a backslash stands before. */
const MEMBER = /(?:[^ \t\r\n.,[\]$@{}\\]|\\[^])*/y;
const NUMBER = /[+-]?[\p{Nd}.]*/uy;
const WORD = /[\p{L}\p{Nd}_][^ \t\r\n.,[\]$@{}]*/uy;
const BRACKETS = /\[([^\]\n]*)\]/y;
const KEY = /^'([^']*)'$/;
const RANGE = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const COMPARISON = /^([^!<>=]+)([!<>=]+)(.+)$/;
const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\\': '\\' };

/** The steps of a path as columns name them; undefined: it is none. */
export function parseSteps(text: string): readonly Step[] | undefined {
  const parser = new StepParser(text);
  return parser.parse() ? parser.steps : undefined;
}

class StepParser {
  readonly steps: Step[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether the text is a path. As in 1.23 a brace ends it: what follows says nothing, but may open no other path. */
  parse(): boolean {
    while (this.#at < this.#text.length) {
      if (this.#text[this.#at] === '}') return !this.#text.includes('{', this.#at);
      if (!this.#parseNext()) return false;
    }
    return true;
  }

  #parseNext(): boolean {
    if (this.#text.startsWith('[?(', this.#at)) return this.#parseFilter();
    if (this.#text.startsWith('..', this.#at)) return this.#parseEverywhere();
    const first = this.#text[this.#at] ?? '';
    // The object at hand is where the path is anyway.
    if (first === ' ' || first === '@' || first === '$') return this.#skip();
    if (first === '[') return this.#parseBrackets();
    if (first === '"' || first === "'") return this.#parseQuoted(first);
    if (first === '.') return this.#skip() && this.#parseMember();
    return this.#parseNumber() ?? this.#parseWord();
  }

  #skip(): boolean {
    this.#at++;
    return true;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }

  /** An empty name is one, too, of a member that hardly any object has. */
  #parseMember(): boolean {
    const [name = ''] = this.#take(MEMBER) ?? [];
    this.steps.push(name === '*' ? { is: 'all' } : { is: 'member', name: name.replaceAll('\\', '') });
    return true;
  }

  #parseEverywhere(): boolean {
    if (this.steps.at(-1)?.is === 'everywhere') return false;
    this.#at += 2;
    this.steps.push({ is: 'everywhere' });
    return !/^[\p{L}\p{Nd}_]/u.test(this.#text.slice(this.#at, this.#at + 2)) || this.#parseMember();
  }

  #parseNumber(): boolean | undefined {
    const [digits = ''] = this.#take(NUMBER) ?? [];
    if (digits === '') return undefined;
    const value = Number(digits);
    // Whole numbers of an object keep their digits, too.
    const isExact = Number.isSafeInteger(value) || !/^[+-]?\d+$/.test(digits);
    this.steps.push({ is: 'value', value: isExact ? value : BigInt(digits.replace('+', '')) });
    return !Number.isNaN(value);
  }

  #parseWord(): boolean {
    const [word] = this.#take(WORD) ?? [];
    if (word === undefined) return false;
    this.steps.push(word === 'true' || word === 'false' ? { is: 'value', value: word === 'true' } : { is: 'word' });
    return true;
  }

  #parseQuoted(quote: string): boolean {
    const end = endOfQuoted(this.#text, this.#at + 1, quote);
    const value = end === undefined ? undefined : unescaped(this.#text.slice(this.#at + 1, end), quote);
    this.steps.push({ is: 'value', value });
    this.#at = (end ?? this.#at) + 1;
    return value !== undefined;
  }

  #parseBrackets(): boolean {
    const found = this.#take(BRACKETS);
    const inside = found?.[1] === '*' ? ':' : found?.[1];
    const steps = inside === undefined ? undefined : inside.includes(',') ? parseUnion(inside) : parseKey(inside) ?? parseRange(inside);
    this.steps.push(...(steps ?? []));
    return steps !== undefined;
  }

  /** It ends at the first parenthesis that is not in its first quoted text. */
  #parseFilter(): boolean {
    const from = this.#at + '[?('.length;
    const quoteAt = this.#text.slice(from).search(/["')]/) + from;
    const quote = this.#text[quoteAt] ?? '';
    const quoteEnd = quote === ')' ? quoteAt : endOfQuoted(this.#text, quoteAt + 1, quote);
    const end = quoteAt < from || quoteEnd === undefined ? -1 : this.#text.indexOf(')', quoteEnd);
    const inside = this.#text.slice(from, Math.max(end, from));
    if (end < 0 || this.#text[end + 1] !== ']' || inside.includes('\n')) return false;
    this.#at = end + 2;
    const [, left = inside, operator = '', right = ''] = COMPARISON.exec(inside) ?? [];
    const [path, operand] = [parseSteps(left), parseSteps(right)];
    if (path === undefined || operand === undefined) return false;
    this.steps.push({ is: 'filter', path, operator, operand });
    return true;
  }
}

/** Where a quote stands that no backslash precedes. */
function endOfQuoted(text: string, from: number, quote: string): number | undefined {
  for (let at = text.indexOf(quote, from); at >= 0; at = text.indexOf(quote, at + 1)) if (text[at - 1] !== '\\') return at;
  return undefined;
}

/** The text between quotes; undefined: it escapes what needs none. */
function unescaped(text: string, quote: string): string | undefined {
  let isGood = true;
  const plain = text.replaceAll(/\\([^]?)/g, (_all, escaped: string) => {
    const meant = escaped === quote ? quote : ESCAPES[escaped];
    isGood &&= meant !== undefined;
    return meant ?? '';
  });
  return isGood ? plain : undefined;
}

function parseUnion(text: string): readonly Step[] | undefined {
  const paths = text.split(',').map((part) => parseSteps(`[${part.replaceAll(/^ +| +$/g, '')}]`));
  return paths.includes(undefined) ? undefined : [{ is: 'union', paths: paths as readonly (readonly Step[])[] }];
}

/** What is quoted is a path of its own: dots in names need a backslash there too. */
function parseKey(text: string): readonly Step[] | undefined {
  const key = KEY.exec(text);
  return key === null ? undefined : parseSteps(`.${key[1] ?? ''}`);
}

/** An index or a range; without digits the first item. */
function parseRange(text: string): readonly Step[] | undefined {
  const range = RANGE.exec(text);
  if (range === null) return undefined;
  const [from, to, by] = range.slice(1).map((digits: string | undefined) => (digits ?? '').replace(':', ''));
  if ([from, to, by].includes('-')) return undefined;
  return [{ is: 'items', from: Number(from), to: to ? Number(to) : undefined, by: by ? Number(by) : 1, isOne: range[2] === undefined }];
}
