/**
 * Paths into objects as columns name them: `.spec.replicas`, `.status.conditions[?(@.type=="Ready")].status`, `.metadata.labels['a\.b']`,
 * `.items[0]`, `.items[*]`, `.items[1:3]`, `..name`.
 */

type Step =
  | { readonly is: 'member'; readonly name: string }
  | { readonly is: 'all' | 'everywhere' }
  | { readonly is: 'items'; readonly from: number | undefined; readonly to: number | undefined; readonly by: number; readonly isOne: boolean }
  | { readonly is: 'filter'; readonly path: readonly Step[]; readonly operator: string; readonly value: unknown };

/** Finds values in an object; none where the path leads nowhere. */
export type FindValues = (object: unknown) => readonly unknown[];

const MAX_LENGTH = 4096;
/** Values looked at for one path: `..` in a large object has an end. */
const MAX_FOUND = 10_000;

/** undefined: this is no path that is understood. */
export function compileJsonPath(text: string): FindValues | undefined {
  const steps = text.length > MAX_LENGTH ? undefined : parseSteps(text);
  return steps && ((object) => walk(steps, object));
}

const MEMBER = /^\.((?:[^.[\]\\*]|\\.)+)/;
const QUOTED = /^\[\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*\]/;
const ITEMS = /^\[\s*(-?\d+)?\s*(?:(:)\s*(-?\d+)?\s*(?::\s*(\d+)\s*)?)?\]/;
const FILTER = /^\[\?\(\s*@((?:[^=!<>)'"]|\\.)*?)\s*(?:(==|!=|<=|>=|<|>)\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^)\s]+)\s*)?\)\]/;

function parseSteps(text: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  let rest = text.startsWith('$') ? text.slice(1) : text;
  while (rest !== '' && rest !== '.') {
    const parsed = parseStep(rest);
    if (parsed === undefined) return undefined;
    steps.push(parsed.step);
    rest = parsed.rest;
  }
  return steps;
}

interface Parsed {
  readonly step: Step;
  readonly rest: string;
}

const unescaped = (text: string): string => text.replaceAll(/\\(.)/g, '$1');

function parseStep(text: string): Parsed | undefined {
  if (text.startsWith('..')) return { step: { is: 'everywhere' }, rest: text.slice(text[2] === '[' ? 2 : 1) };
  const all = /^(?:\.\*|\[\*\])/.exec(text);
  if (all !== null) return { step: { is: 'all' }, rest: text.slice(all[0].length) };
  const member = MEMBER.exec(text);
  if (member !== null) return { step: { is: 'member', name: unescaped(member[1] ?? '') }, rest: text.slice(member[0].length) };
  const quoted = QUOTED.exec(text);
  if (quoted !== null) return { step: { is: 'member', name: unescaped(quoted[1] ?? quoted[2] ?? '') }, rest: text.slice(quoted[0].length) };
  return parseItems(text) ?? parseFilter(text);
}

function parseItems(text: string): Parsed | undefined {
  const items = ITEMS.exec(text);
  if (items === null || (items[1] === undefined && items[2] === undefined)) return undefined;
  const number = (digits: string | undefined): number | undefined => (digits === undefined ? undefined : Number(digits));
  const step: Step = { is: 'items', from: number(items[1]), to: number(items[3]), by: Math.max(number(items[4]) ?? 1, 1), isOne: items[2] === undefined };
  return { step, rest: text.slice(items[0].length) };
}

function parseFilter(text: string): Parsed | undefined {
  const filter = FILTER.exec(text);
  if (filter === null) return undefined;
  const [whole, path = '', operator = '', operand] = filter;
  const steps = parseSteps(path);
  if (steps === undefined) return undefined;
  return { step: { is: 'filter', path: steps, operator, value: readOperand(operand) }, rest: text.slice(whole.length) };
}

function readOperand(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  if (/^["']/.test(text)) return unescaped(text.slice(1, -1));
  if (text === 'true' || text === 'false') return text === 'true';
  return Number.isNaN(Number(text)) ? text : Number(text);
}

function walk(steps: readonly Step[], object: unknown): readonly unknown[] {
  return steps.reduce<readonly unknown[]>((found, step) => found.flatMap((value) => take(step, value)).slice(0, MAX_FOUND), [object]);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

function take(step: Step, value: unknown): readonly unknown[] {
  switch (step.is) {
    case 'member':
      return isObject(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [];
    case 'all':
      return partsOf(value);
    case 'everywhere':
      return everythingIn(value);
    case 'items':
      return Array.isArray(value) ? takeItems(step, value) : [];
    case 'filter':
      return partsOf(value).filter((part) => holds(step, part));
  }
}

const partsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []);

function everythingIn(value: unknown): readonly unknown[] {
  const found: unknown[] = [value];
  for (let at = 0; at < found.length && found.length < MAX_FOUND; at++) found.push(...partsOf(found[at]).slice(0, MAX_FOUND));
  return found;
}

function takeItems({ from, to, by, isOne }: Extract<Step, { is: 'items' }>, value: readonly unknown[]): readonly unknown[] {
  if (isOne) {
    const item = value.at(from ?? 0);
    return item === undefined ? [] : [item];
  }
  return value.slice(from, to).filter((_item, position) => position % by === 0);
}

function holds({ path, operator, value: wanted }: Extract<Step, { is: 'filter' }>, part: unknown): boolean {
  const [found] = walk(path, part);
  if (operator === '') return found !== undefined;
  if (operator === '==') return found === wanted;
  if (operator === '!=') return found !== undefined && found !== wanted;
  if ((typeof found !== 'number' || typeof wanted !== 'number') && (typeof found !== 'string' || typeof wanted !== 'string')) return false;
  if (operator === '<') return found < wanted;
  if (operator === '>') return found > wanted;
  return operator === '<=' ? found <= wanted : found >= wanted;
}
