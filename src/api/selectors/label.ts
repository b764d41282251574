/**
 * `labelSelector` texts: `a`, `!a`, `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a>1`, `a<1`, joined by commas.
 * @spec 4.3
 */
import { compareUtf8 } from '#base';
import { badRequest, FieldErrors, inOneMessage } from '#errors';
import { checkQualifiedName, reportAsOne } from '../names.ts';
import { labelOf, reportValues, type LabelPredicate } from './label-selector.ts';

type Operator = 'exists' | '!' | '=' | '!=' | 'in' | 'notin' | '>' | '<';

/** One condition of a selector; all must hold. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

/** Compiles a selector text; undefined: it matches everything. Throws `BadRequest`. */
export function compileLabelSelector(text: string): LabelPredicate | undefined {
  const tests = parseLabelSelector(text).map(compileRequirement);
  const [first, ...rest] = tests;
  return first === undefined || rest.length === 0 ? first : (labels) => tests.every((holds) => holds(labels));
}

/** The conditions of a selector text. Throws `BadRequest`. */
function parseLabelSelector(text: string): readonly LabelRequirement[] {
  const reader = new Reader(text);
  const found: LabelRequirement[] = [];
  if (reader.peek() === END) return found;
  for (;;) {
    found.push(parseRequirement(reader));
    if (reader.take('', "',' or 'end of string'", ',', END) === END) return found;
    if (reader.peek() !== '!' && MARKS.has(reader.peek())) throw badRequest(`found '${reader.peek()}', expected: identifier after ','`);
  }
}

const END = '';
/** The prefix of errors within a requirement. */
const IN_REQUIREMENT = 'unable to parse requirement: ';
const MARKS: ReadonlySet<string> = new Set(['!', '=', '==', '!=', '>', '<', '(', ')', ',', END]);
/** Only these four separate words: other spaces are characters that no key and no value has. */
const TOKEN = /[ \t\r\n]*(==|!=|[!=<>(),]|[^ \t\r\n!=<>(),]+)/y;
const TRAILING = /(?<![ \t\r\n])[ \t\r\n]+$/;

/** Reads a text token by token. */
class Reader {
  readonly #tokens: string[] = [];
  #at = 0;

  constructor(text: string) {
    const trimmed = text.replace(TRAILING, '');
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < trimmed.length) this.#tokens.push(TOKEN.exec(trimmed)?.[1] ?? END);
  }

  peek(): string {
    return this.#tokens[this.#at] ?? END;
  }

  /** Takes the next token, which must be one of these; without any, a word. */
  take(where: string, expected: string, ...choices: readonly string[]): string {
    const token = this.peek();
    if (choices.length === 0 ? MARKS.has(token) : !choices.includes(token)) {
      throw badRequest(`${where}found '${token}', expected: ${expected}`);
    }
    this.#at += 1;
    return token;
  }
}

function parseRequirement(reader: Reader): LabelRequirement {
  const isNegated = reader.peek() === '!';
  if (isNegated) reader.take('', '!', '!');
  const key = isNegated ? reader.take(IN_REQUIREMENT, 'identifier') : reader.take('', "!, identifier, or 'end of string'");
  checkKey(key);
  if (isNegated) return { key, operator: '!', values: [] };
  if (reader.peek() === END || reader.peek() === ',') return { key, operator: 'exists', values: [] };
  const operator = reader.take(IN_REQUIREMENT, 'in, notin, =, ==, !=, gt, lt', '=', '==', '!=', 'in', 'notin', '>', '<');
  if (operator === 'in' || operator === 'notin') return checked(key, operator, parseSet(reader));
  return checked(key, operator === '==' ? '=' : (operator as Operator), [parseValue(reader)]);
}

/** A value may be left out: `a=` means the empty value. */
function parseValue(reader: Reader): string {
  return reader.peek() === END || reader.peek() === ',' ? '' : reader.take(IN_REQUIREMENT, 'identifier');
}

/**
 * Values in parentheses, sorted, each once; nothing between two commas, or between the parentheses, is the empty value. As in 1.23, two commas together
 * say so of what is between them, and a value or another comma has to follow.
 */
function parseSet(reader: Reader): readonly string[] {
  if (reader.peek() !== '(') throw badRequest(`${IN_REQUIREMENT}found '${reader.peek()}' expected: '('`);
  reader.take(IN_REQUIREMENT, "'('", '(');
  const first = reader.peek();
  if (MARKS.has(first) && first !== ',') {
    reader.take(IN_REQUIREMENT, "',', ')' or identifier", ')');
    return [''];
  }
  const values = new Set<string>();
  for (;;) {
    if (reader.peek() !== ',') {
      values.add(reader.take(IN_REQUIREMENT, "',', or identifier"));
      if (reader.peek() !== ',') break;
      continue;
    }
    reader.take(IN_REQUIREMENT, "','", ',');
    if (values.size === 0 || reader.peek() === ',' || reader.peek() === ')') values.add('');
    if (reader.peek() === ')') break;
    if (reader.peek() === ',') reader.take(IN_REQUIREMENT, "','", ',');
  }
  reader.take(IN_REQUIREMENT, "',' or ')'", ')');
  return [...values].sort(compareUtf8);
}

/** A key that is none is told before what follows it is looked at, as in 1.23. Throws `BadRequest`. */
function checkKey(key: string): void {
  const at = new FieldErrors();
  reportAsOne(at, key, checkQualifiedName(key));
  insistOnNone(at);
}

/** The requirement of a key that is one. All that is wrong with its values is told together. Throws `BadRequest`. */
function checked(key: string, operator: Operator, values: readonly string[]): LabelRequirement {
  const at = new FieldErrors();
  const place = at.child('values');
  if ((operator === '>' || operator === '<') && toInteger(values[0]) === undefined) {
    place.index(0).invalid(values[0], "for 'Gt', 'Lt' operators, the value must be an integer");
  }
  reportValues(key, values, place);
  insistOnNone(at);
  return { key, operator, values };
}

function insistOnNone(at: FieldErrors): void {
  if (!at.isEmpty) throw badRequest(`${IN_REQUIREMENT}${inOneMessage(at.texts)}`);
}

function compileRequirement({ key, operator, values }: LabelRequirement): LabelPredicate {
  const [value = ''] = values;
  const set: ReadonlySet<string> = new Set(values);
  switch (operator) {
    case 'exists':
      return (labels) => labelOf(labels, key) !== undefined;
    case '!':
      return (labels) => labelOf(labels, key) === undefined;
    case '=':
      return (labels) => labelOf(labels, key) === value;
    case '!=':
      return (labels) => labelOf(labels, key) !== value;
    case 'in':
      return (labels) => set.has(labelOf(labels, key) ?? NEVER);
    case 'notin':
      return (labels) => !set.has(labelOf(labels, key) ?? NEVER);
    default:
      return compileOrder(key, operator, toInteger(value) ?? 0n);
  }
}

/** No label value has this. */
const NEVER = '\u0000';

function compileOrder(key: string, operator: '>' | '<', bound: bigint): LabelPredicate {
  return (labels) => {
    const value = toInteger(labelOf(labels, key));
    if (value === undefined) return false;
    return operator === '>' ? value > bound : value < bound;
  };
}

/** 64-bit integers in decimal. */
function toInteger(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?\d{1,63}$/.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
