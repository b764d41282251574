import { isJsonObject } from '#base';

/**
 * Paths into objects as columns name them: `.spec.replicas`, `.status.conditions[?(@.type=="Ready")].status`, `.metadata.labels['a\.b']`,
 * `.items[0]`, `.items[*]`, `.items[1:3]`, `..name`.
 */

type Step =
  | { readonly is: 'member'; readonly name: string }
  | { readonly is: 'all' | 'everywhere' }
  | { readonly is: 'items'; readonly from: number | undefined; readonly to: number | undefined; readonly by: number; readonly isOne: boolean }
  | { readonly is: 'union'; readonly paths: readonly (readonly Step[])[] }
  | { readonly is: 'filter'; readonly path: readonly Step[]; readonly operator: string; readonly operand: Operand };

/** An operand of a filter: a value, or a path relative to the item; undefined: it has no value. */
type Operand = { readonly value: unknown } | { readonly path: readonly Step[] } | undefined;

/** Thrown where a step does not fit the type of a value. Then the whole path finds nothing. */
const NOWHERE = new Error('the path leads nowhere');

/** Finds the values of a path in an object; empty where it leads nowhere. */
export type FindValues = (object: unknown) => readonly unknown[];

const MAX_LENGTH = 4096;
/** Maximum values visited per path and object: bounds `..` in a large object, nested `..` in a small one, and one list that is named many times. */
const MAX_LOOKED = 50_000;
/** So many parts that are taken out of a value at once cost as much as one visit: a list that was found many times over is not taken apart each time. */
const TAKEN_AT_ONCE = 64;

interface Course {
  looked: number;
}

/** Compiles a path; undefined: it is not supported. */
export function compileJsonPath(text: string): FindValues | undefined {
  const steps = text.length > MAX_LENGTH ? undefined : parseSteps(text);
  if (steps === undefined) return undefined;
  return (object) => {
    try {
      return walk(steps, object, { looked: 0 });
    } catch (error) {
      if (error === NOWHERE) return [];
      throw error;
    }
  };
}

const MEMBER = /^\.((?:[^.,[\]{}$@\s\\*]|\\.)+)/;
const QUOTED = /^\['([^'\]]*)'\]/;
const UNION = /^\[([^[\]?]*,[^[\]]*)\]/;
const ITEMS = /^\[\s*(-?\d+)?\s*(?:(:)\s*(-?\d+)?\s*(?::\s*(\d+)\s*)?)?\]/;
/** Unambiguous: otherwise a text that is no filter would cause exponential backtracking. */
const FILTER = /^\[\?\(((?:[^=!<>)'"\\]|\\.)*)(?:(==|!=|<=|>=|<|>)\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^)\s]+)\s*)?\)\]/;
/** Where the walk is already. */
const HERE = /^[ @$]+/;

function parseSteps(text: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  let rest = text.replace(HERE, '');
  while (rest !== '' && rest !== '.') {
    const parsed = parseStep(rest);
    if (parsed === undefined) return undefined;
    steps.push(...parsed.steps);
    rest = parsed.rest.replace(HERE, '');
  }
  return steps;
}

interface Parsed {
  readonly steps: readonly Step[];
  readonly rest: string;
}

const unescaped = (text: string): string => text.replaceAll(/\\(.)/g, '$1');

function parseStep(text: string): Parsed | undefined {
  if (text.startsWith('..')) return { steps: [{ is: 'everywhere' }], rest: text.slice(text[2] === '[' ? 2 : 1) };
  if (text.startsWith('.*')) return { steps: [{ is: 'all' }], rest: text.slice(2) };
  const member = MEMBER.exec(text);
  if (member !== null) return { steps: [{ is: 'member', name: unescaped(member[1] ?? '') }], rest: text.slice(member[0].length) };
  return parseQuoted(text) ?? parseUnion(text) ?? parseItems(text) ?? parseFilter(text);
}

/** What is quoted is a path of its own: dots in names need a backslash there too. */
function parseQuoted(text: string): Parsed | undefined {
  const quoted = QUOTED.exec(text);
  const steps = quoted === null ? undefined : parseSteps(`.${quoted[1] ?? ''}`);
  return quoted === null || steps === undefined ? undefined : { steps, rest: text.slice(quoted[0].length) };
}

function parseUnion(text: string): Parsed | undefined {
  const union = UNION.exec(text);
  if (union === null) return undefined;
  const paths = (union[1] ?? '').split(',').map((part) => parseSteps(`[${part.trim()}]`));
  if (paths.includes(undefined)) return undefined;
  return { steps: [{ is: 'union', paths: paths as readonly (readonly Step[])[] }], rest: text.slice(union[0].length) };
}

function parseItems(text: string): Parsed | undefined {
  // All items are a range without bounds, of a list only: other than `.*` it does not fit an object.
  const items = ITEMS.exec(text.replace(/^\[\*\]/, '[:]'));
  if (items === null || (items[1] === undefined && items[2] === undefined)) return undefined;
  const number = (digits: string | undefined): number | undefined => (digits === undefined ? undefined : Number(digits));
  const step: Step = { is: 'items', from: number(items[1]), to: number(items[3]), by: number(items[4]) ?? 1, isOne: items[2] === undefined };
  return { steps: [step], rest: text.slice(items[0].length) };
}

function parseFilter(text: string): Parsed | undefined {
  const filter = FILTER.exec(text);
  if (filter === null) return undefined;
  const [whole, path = '', operator = '', operand] = filter;
  const steps = parseSteps(path.trim());
  if (steps === undefined) return undefined;
  return { steps: [{ is: 'filter', path: steps, operator, operand: readOperand(operand) }], rest: text.slice(whole.length) };
}

function readOperand(text: string | undefined): Operand {
  if (text === undefined) return undefined;
  if (/^["']/.test(text)) return { value: unescaped(text.slice(1, -1)) };
  if (text === 'true' || text === 'false') return { value: text === 'true' };
  if (/^[+-]?[\d.]+$/.test(text) && !Number.isNaN(Number(text))) return { value: Number(text) };
  const path = /^[@.$]/.test(text) ? parseSteps(text) : undefined;
  return path && { path };
}

function walk(steps: readonly Step[], object: unknown, course: Course): readonly unknown[] {
  let found: readonly unknown[] = [object];
  for (const step of steps) {
    const next: unknown[] = [];
    for (const value of found) {
      if (++course.looked > MAX_LOOKED) break;
      const taken = take(step, value, course);
      if (taken === NO_ITEMS) break;
      course.looked += taken.length / TAKEN_AT_ONCE;
      for (const one of taken) next.push(one);
    }
    found = next;
  }
  return found;
}

function take(step: Step, value: unknown, course: Course): readonly unknown[] {
  switch (step.is) {
    case 'member':
      return isJsonObject(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [];
    case 'all':
      return partsOf(value);
    case 'everywhere':
      return everythingIn(value, course);
    case 'items':
      return value === null ? [] : takeItems(step, listOf(value));
    case 'union':
      return allOf(step.paths, value, course);
    case 'filter':
      return listOf(value).filter((part) => ++course.looked <= MAX_LOOKED && holds(step, part, course));
  }
}

/** What any of the paths finds. All of it counts: many paths may find the same long list. */
function allOf(paths: readonly (readonly Step[])[], value: unknown, course: Course): readonly unknown[] {
  const found: unknown[] = [];
  for (const path of paths) {
    for (const one of walk(path, value, course)) {
      if (++course.looked > MAX_LOOKED) return found;
      found.push(one);
    }
  }
  return found;
}

const partsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : []);

function everythingIn(value: unknown, course: Course): readonly unknown[] {
  const found: unknown[] = [value];
  for (let at = 0; at < found.length; at++) {
    for (const part of partsOf(found[at])) {
      if (++course.looked > MAX_LOOKED) return found;
      found.push(part);
    }
  }
  return found;
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw NOWHERE;
  return value;
}

/** No items, nor any of the lists that follow. */
const NO_ITEMS: readonly unknown[] = [];

/** An index beyond the list finds nothing; an empty list or range yields nothing, and ends the step. */
function takeItems({ from = 0, to, by, isOne }: Extract<Step, { is: 'items' }>, value: readonly unknown[]): readonly unknown[] {
  const { length } = value;
  const end = isOne ? from + 1 : (to ?? length);
  const first = from < 0 ? from + length : from;
  const last = end < 0 || (isOne && end === 0) ? end + length : end;
  if (first === last) return NO_ITEMS;
  if (first < 0 || first >= length || last < 0 || last > length || first > last || by <= 0) throw NOWHERE;
  return value.slice(first, last).filter((_item, position) => position % by === 0);
}

function holds({ path, operator, operand }: Extract<Step, { is: 'filter' }>, part: unknown, course: Course): boolean {
  if (operator === '') return has(path, part, course);
  const found = onlyOne(walk(path, part, course));
  if (found === undefined) return false;
  if (operand === undefined) throw NOWHERE;
  const wanted = 'value' in operand ? operand : onlyOne(walk(operand.path, part, course));
  return wanted !== undefined && compare(operator, found.value, wanted.value);
}

function has(path: readonly Step[], part: unknown, course: Course): boolean {
  try {
    return walk(path, part, course).length > 0;
  } catch (error) {
    if (error === NOWHERE) return false;
    throw error;
  }
}

function onlyOne(found: readonly unknown[]): { readonly value: unknown } | undefined {
  if (found.length > 1) throw NOWHERE;
  return found.length === 0 ? undefined : { value: found[0] };
}

/** Values of different types do not compare: not even integers and fractions. */
function compare(operator: string, found: unknown, wanted: unknown): boolean {
  const kind = kindOf(found);
  if (kind === undefined || kind !== kindOf(wanted) || (kind === 'boolean' && !/^[!=]=$/.test(operator))) throw NOWHERE;
  if (operator === '==') return found === wanted;
  if (operator === '!=') return found !== wanted;
  const [a, b] = [found as number, wanted as number];
  if (operator === '<') return a < b;
  if (operator === '>') return a > b;
  return operator === '<=' ? a <= b : a >= b;
}

function kindOf(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? 'whole' : 'fraction';
  return typeof value === 'string' || typeof value === 'boolean' ? typeof value : undefined;
}
