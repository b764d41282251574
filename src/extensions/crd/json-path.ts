import { isJsonObject } from '#base';
import { parseSteps, type Step } from './json-path-steps.ts';

/**
 * Paths into objects as columns name them: `.spec.replicas`, `.status.conditions[?(@.type=="Ready")].status`, `.metadata.labels['a\.b']`,
 * `.items[0]`, `.items[*]`, `.items[1:3]`, `..name`.
 */

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
    case 'value':
      return [step.value];
    case 'word':
      throw NOWHERE;
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

/** A value and all inside that have parts, each before its own; texts count among them. */
function everythingIn(value: unknown, course: Course): readonly unknown[] {
  const found: unknown[] = [];
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const one = waiting.pop();
    const parts = partsOf(one);
    if (parts.length > 0 || (typeof one === 'string' && one !== '')) found.push(one);
    for (let at = parts.length - 1; at >= 0; at--) {
      if (++course.looked > MAX_LOOKED) return found;
      waiting.push(parts[at]);
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

/** An index beyond the list leads nowhere; an empty list or range yields nothing, and ends the step. */
function takeItems({ from, to, by, isOne }: Extract<Step, { is: 'items' }>, value: readonly unknown[]): readonly unknown[] {
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
  const wanted = onlyOne(walk(operand, part, course));
  return wanted !== undefined && compare(operator, found.value, wanted.value);
}

/** Whether a path finds something. As in 1.23 a step that does not fit what was found is taken for a find. */
function has(path: readonly Step[], part: unknown, course: Course): boolean {
  try {
    return walk(path, part, course).length > 0;
  } catch (error) {
    if (error === NOWHERE) return true;
    throw error;
  }
}

function onlyOne(found: readonly unknown[]): { readonly value: unknown } | undefined {
  if (found.length > 1) throw NOWHERE;
  return found.length === 0 ? undefined : { value: found[0] };
}

const EQUAL: Compare = (a, b) => a >= b && !(a > b);

type Comparable = string | number | bigint | boolean;
type Compare = (a: Comparable, b: Comparable) => boolean;

const OPERATORS: ReadonlyMap<string, Compare> = new Map<string, Compare>([
  ['==', EQUAL],
  ['!=', (a, b) => !EQUAL(a, b)],
  ['<', (a, b) => a < b],
  ['>', (a, b) => a > b],
  ['<=', (a, b) => a <= b],
  ['>=', (a, b) => a >= b],
]);

/** Values of different types do not compare: not even integers and fractions. */
function compare(operator: string, found: unknown, wanted: unknown): boolean {
  const kind = kindOf(found);
  const by = OPERATORS.get(operator);
  if (by === undefined || kind === undefined || kind !== kindOf(wanted) || (kind === 'boolean' && !/^[!=]=$/.test(operator))) throw NOWHERE;
  return by(found as Comparable, wanted as Comparable);
}

function kindOf(value: unknown): string | undefined {
  if (typeof value === 'bigint') return 'whole';
  if (typeof value === 'number') return Number.isInteger(value) ? 'whole' : 'fraction';
  return typeof value === 'string' || typeof value === 'boolean' ? typeof value : undefined;
}
