import { goFloatText, isDeepEqual } from '#base';
import { goUntyped, type FieldErrors } from '#errors';
import { isObject, ownValue } from '../facets/plain-object.ts';
import { isKnownFormat, isOfFormat } from './formats.ts';
import { compilePattern } from './pattern.ts';
import type { SchemaProps } from './props.ts';

/** Something wrong with a value. `path` is dotted, without positions in lists, as the API reports it; undefined: with the value as a whole. */
interface Fault {
  readonly path: string | undefined;
  /** The same for equal faults. */
  readonly text: string;
  report(at: FieldErrors): void;
}

/** What a check found. Of alternatives that all fail, the one where most went well says why. */
interface Verdict {
  readonly faults: readonly Fault[];
  readonly successes: number;
}

/** Checks made for one value. A schema and a value that need more are hostile. */
const MAX_STEPS = 1_000_000;
/** Faults told of one part of a value; nobody reads more. */
const MAX_FAULTS = 256;

interface Course {
  steps: number;
}

/**
 * Says what a schema finds wrong with a value. `at` stands where the value does; an empty path is the whole object.
 * Takes time in proportion to schema times value, and no more than a bound.
 * @spec 4.9
 */
export function validateBySchema(props: SchemaProps, value: unknown, at: FieldErrors): void {
  const { faults } = check(props, value, '', { steps: 0 });
  const told = new Set<string>();
  for (const fault of faults) {
    // Alternatives often find the same fault.
    if (told.has(fault.text)) continue;
    told.add(fault.text);
    fault.report(placeOf(fault, at));
  }
}

function placeOf({ path }: Fault, at: FieldErrors): FieldErrors {
  if (path === undefined) return at.path === '' ? at.child('<nil>') : at;
  return path === '' ? at : at.child(path);
}

const invalid = (path: string, value: unknown, why: string): Fault => ({
  path,
  text: `${path} ${why}`,
  report: (at) => at.invalid(goUntyped(value), `${path} in body ${why}`),
});

const forbidden = (path: string, name: string): Fault => {
  const above = path.slice(0, -name.length - 1);
  const why = `${above}.${name} in body is a forbidden property`;
  return { path: above, text: why, report: (at) => at.invalid(name, why) };
};

/** About the value as a whole: no field is to blame. */
const unfit = (why: string): Fault => ({ path: undefined, text: why, report: (at) => at.invalid('', why) });

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

function typeOf(value: unknown): JsonType {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'bigint') return 'integer';
  return typeof value === 'object' ? 'object' : (typeof value as 'boolean' | 'string');
}

type Rule = (props: SchemaProps, value: never, path: string, course: Course) => Verdict;

const GOOD: Verdict = { faults: [], successes: 1 };
const verdictOf = (faults: readonly Fault[]): Verdict => (faults.length === 0 ? GOOD : { faults, successes: 0 });

function check(props: SchemaProps, value: unknown, path: string, course: Course): Verdict {
  if (++course.steps > MAX_STEPS) return { faults: [unfit('takes too long to check against its schema')], successes: 0 };
  const found = typeOf(value);
  const faults: Fault[] = [];
  let successes = 1;
  for (const rule of RULES[found]) {
    const verdict = rule(props, value as never, path, course);
    append(faults, verdict.faults);
    successes += verdict.successes + 1;
  }
  return { faults, successes };
}

function append(to: Fault[], more: readonly Fault[]): void {
  for (const fault of more) {
    if (to.length >= MAX_FAULTS) return;
    to.push(fault);
  }
}

function wantedTypes(props: SchemaProps): readonly string[] {
  if (props['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return props.type === undefined || props.type === '' ? [] : [props.type];
}

/** What numbers are called where a format is not theirs. */
const NUMBER_FORMATS: Readonly<Partial<Record<JsonType, string>>> = { integer: 'int64', number: 'double' };

function checkType(props: SchemaProps, value: unknown, path: string): Verdict {
  const wanted = wantedTypes(props);
  const found = typeOf(value);
  const misfit = (name: string, what: string): Verdict => verdictOf([invalid(path, what, `must be of type ${name}: ${JSON.stringify(what)}`)]);
  if (found === 'null') return wanted.length === 0 || props.nullable === true ? GOOD : misfit(wanted.join(), found);
  const fits = wanted.includes(found) || (found === 'integer' && wanted.includes('number'));
  const { format = '' } = props;
  if (fits || (wanted.length === 0 && format === '')) return GOOD;
  if (isKnownFormat(format)) {
    // A format stands for the type: of texts it is checked by itself.
    if (found !== 'string' && found !== 'array') return misfit(format, NUMBER_FORMATS[found] ?? '');
    if (!wanted.includes('number') && !wanted.includes('integer')) return GOOD;
  }
  return wanted.length === 0 ? GOOD : misfit(wanted.join(), found);
}

function checkEnum({ enum: choices }: SchemaProps, value: unknown, path: string): Verdict {
  // Null is never chosen, even where it may be and is listed.
  const isChosen = value !== null && choices?.some((choice) => isDeepEqual(choice, value));
  if (choices === undefined || choices.length === 0 || isChosen === true) return GOOD;
  const texts = choices.map((choice) => (typeof choice === 'string' ? choice : (JSON.stringify(choice) ?? 'null')));
  return verdictOf([{ path, text: `${path} enum`, report: (at) => at.notSupported(goUntyped(value), texts) }]);
}

/** The first fault says enough. */
function checkString(props: SchemaProps, value: string, path: string): Verdict {
  const { minLength, maxLength, pattern } = props;
  const length = minLength === undefined && maxLength === undefined ? 0 : countCharacters(value);
  const fault = (why: string): Verdict => verdictOf([invalid(path, value, why)]);
  if (maxLength !== undefined && length > maxLength) return fault(`should be at most ${maxLength} chars long`);
  if (minLength !== undefined && length < minLength) return fault(`should be at least ${minLength} chars long`);
  if (pattern && compilePattern(pattern)?.matches(value) !== true) return fault(`should match '${pattern}'`);
  return GOOD;
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count++;
  return count;
}

function checkFormat({ format }: SchemaProps, value: string, path: string): Verdict {
  if (format === undefined || format === '' || isOfFormat(format, value)) return GOOD;
  return verdictOf([invalid(path, value, `must be of type ${format}: ${JSON.stringify(value)}`)]);
}

/** Formats of numbers say something to readers only. */
function checkNumber(props: SchemaProps, value: number | bigint, path: string): Verdict {
  const faults: Fault[] = [];
  const { exclusiveMaximum, exclusiveMinimum } = props;
  const isWhole = typeof value === 'bigint' || Number.isInteger(value);
  // Whole numbers are compared with whole numbers.
  const bound = (limit: number | undefined): number | undefined => (limit === undefined || !isWhole ? limit : Math.trunc(limit));
  const [multipleOf, maximum, minimum] = [bound(props.multipleOf) || props.multipleOf, bound(props.maximum), bound(props.minimum)];
  const show = (limit: number): string => (isWhole ? String(limit) : goFloatText(limit));
  if (multipleOf !== undefined && multipleOf > 0 && !isMultiple(value, multipleOf)) {
    faults.push(invalid(path, value, `should be a multiple of ${show(multipleOf)}`));
  }
  if (minimum !== undefined && (exclusiveMinimum === true ? value <= minimum : value < minimum)) {
    faults.push(invalid(path, value, `should be greater than ${exclusiveMinimum === true ? '' : 'or equal to '}${show(minimum)}`));
  }
  if (maximum !== undefined && (exclusiveMaximum === true ? value >= maximum : value > maximum)) {
    faults.push(invalid(path, value, `should be less than ${exclusiveMaximum === true ? '' : 'or equal to '}${show(maximum)}`));
  }
  return verdictOf(faults);
}

/** Fractions are not exact: 0.3 is a multiple of 0.1. */
function isMultiple(value: number | bigint, of: number): boolean {
  if (typeof value === 'bigint' && Number.isInteger(of)) return value % BigInt(of) === 0n;
  const quotient = Number(value) / of;
  return Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * 1e-12;
}

function checkArray(props: SchemaProps, value: readonly unknown[], path: string, course: Course): Verdict {
  const faults: Fault[] = [];
  const { items, minItems, maxItems } = props;
  // Positions are not in the paths that the API reports.
  if (items !== undefined && !isList(items)) for (const item of value) append(faults, check(items, item, path, course).faults);
  if (minItems !== undefined && value.length < minItems) faults.push(invalid(path, value.length, `should have at least ${minItems} items`));
  if (maxItems !== undefined && value.length > maxItems) faults.push(invalid(path, value.length, `should have at most ${maxItems} items`));
  return verdictOf(faults);
}

const isList = (items: SchemaProps | readonly SchemaProps[]): items is readonly SchemaProps[] => Array.isArray(items);

function checkObject(props: SchemaProps, value: Record<string, unknown>, path: string, course: Course): Verdict {
  const { minProperties, maxProperties, required = [] } = props;
  const names = Object.keys(value);
  if (minProperties !== undefined && names.length < minProperties) {
    return verdictOf([invalid(path, Number(minProperties), `should have at least ${minProperties} properties`)]);
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    return verdictOf([invalid(path, Number(maxProperties), `should have at most ${maxProperties} properties`)]);
  }
  const faults: Fault[] = [];
  let successes = 0;
  const properties = (props.properties ?? {}) as Record<string, unknown>;
  for (const name of names) {
    const verdict = checkMember(props, properties, name, value[name], join(path, name), course);
    append(faults, verdict.faults);
    successes += verdict.successes;
  }
  for (const name of required) {
    if (!Object.hasOwn(value, name)) faults.push({ path: join(path, name), text: `${join(path, name)} required`, report: (at) => at.required() });
  }
  return { faults, successes };
}

function checkMember(props: SchemaProps, properties: Record<string, unknown>, name: string, value: unknown, path: string, course: Course): Verdict {
  const property = ownValue(properties, name) as SchemaProps | undefined;
  if (property !== undefined) return check(property, value, path, course);
  const { additionalProperties } = props;
  if (isObject(additionalProperties)) return check(additionalProperties, value, path, course);
  return additionalProperties === false ? verdictOf([forbidden(path, name)]) : GOOD;
}

/** What is asked of a value, by its type. */
const RULES: Readonly<Record<JsonType, readonly Rule[]>> = {
  null: [checkType, checkEnum],
  boolean: [checkType, checkAlternatives, checkEnum],
  string: [checkType, checkAlternatives, checkString, checkFormat, checkEnum],
  integer: [checkType, checkAlternatives, checkNumber, checkEnum],
  number: [checkType, checkAlternatives, checkNumber, checkEnum],
  array: [checkType, checkAlternatives, checkArray, checkEnum],
  object: [checkType, checkAlternatives, checkEnum, checkObject],
};

function checkAlternatives(props: SchemaProps, value: unknown, path: string, course: Course): Verdict {
  const { anyOf = [], oneOf = [], allOf = [], not } = props;
  if (anyOf.length + oneOf.length + allOf.length === 0 && not === undefined) return GOOD;
  const faults: Fault[] = [];
  const tryAll = (schemas: readonly SchemaProps[]): readonly Verdict[] => schemas.map((one) => check(one, value, path, course));
  if (anyOf.length > 0) append(faults, judgeAnyOf(tryAll(anyOf), path));
  if (oneOf.length > 0) append(faults, judgeOneOf(tryAll(oneOf), path));
  if (allOf.length > 0) append(faults, judgeAllOf(tryAll(allOf), path));
  if (not !== undefined && isGood(check(not, value, path, course))) faults.push(unfit(`${JSON.stringify(path)} must not validate the schema (not)`));
  return verdictOf(faults);
}

const isGood = ({ faults }: Verdict): boolean => faults.length === 0;

/** The faults of the alternative that came closest. */
function nearest(verdicts: readonly Verdict[]): readonly Fault[] {
  const [first, ...others] = verdicts;
  if (first === undefined) return [];
  return others.reduce((best, one) => (one.successes > best.successes ? one : best), first).faults;
}

function judgeAnyOf(verdicts: readonly Verdict[], path: string): readonly Fault[] {
  if (verdicts.some(isGood)) return [];
  return [unfit(`${JSON.stringify(path)} must validate at least one schema (anyOf)`), ...nearest(verdicts)];
}

function judgeOneOf(verdicts: readonly Verdict[], path: string): readonly Fault[] {
  const good = verdicts.filter(isGood).length;
  if (good === 1) return [];
  const found = good === 0 ? 'none valid' : `${good} valid alternatives`;
  const why = `${JSON.stringify(path)} must validate one and only one schema (oneOf). Found ${found}`;
  return [unfit(why), ...(good === 0 ? nearest(verdicts) : [])];
}

function judgeAllOf(verdicts: readonly Verdict[], path: string): readonly Fault[] {
  if (verdicts.every(isGood)) return [];
  const faults: Fault[] = [];
  for (const verdict of verdicts) append(faults, verdict.faults);
  const rest = verdicts.some(isGood) ? '' : '. None validated';
  return [...faults, unfit(`${JSON.stringify(path)} must validate all the schemas (allOf)${rest}`)];
}
