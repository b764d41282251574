import { canonicalJson, goFloatText, isDeepEqual, isJsonObject, memberOf, Told } from '#base';
import { goQuoted, goUntyped, type FieldErrors } from '#errors';
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

/** What a check found. Of alternatives that all fail, the one with the most matches says why. */
interface Verdict {
  readonly faults: readonly Fault[];
  /** Checks that were made, and parts of the value that have the type they should: the more there are, the more a schema is about this value. */
  readonly matches: number;
}

/** Checks made for one value. A schema and a value that need more are hostile. */
const MAX_STEPS = 1_000_000;
/** Beside that, of patterns: for one text, and for all of a value. */
const MAX_STEPS_OF_PATTERN = 20_000_000;
const MAX_PATTERN_STEPS = 100_000_000;
/** Comparisons with a list that cost as much as a check. */
const COMPARED_AT_ONCE = 8;
/** Faults told of one part of a value; nobody reads more. */
const MAX_FAULTS = 256;

/** What is judged: defaults are held to every format that is declared, and are not asked whether they are integers or strings. */
export type Judged = 'object' | 'default';

interface Course {
  steps: number;
  /** Instructions of patterns, each run over the characters of a text. */
  patternSteps: number;
  readonly judged: Judged;
}

/**
 * Says what a schema finds wrong with a value. `at` stands where the value does; an empty path is the whole object.
 * Takes time in proportion to schema times value, and no more than a bound.
 * @spec 4.9
 */
export function validateBySchema(props: SchemaProps, value: unknown, at: FieldErrors, judged: Judged = 'object'): void {
  const { faults } = check(props, value, '', { steps: 0, patternSteps: 0, judged });
  const met = new Set<string>();
  const told = new Told();
  for (const fault of faults) {
    // Alternatives often find the same fault.
    if (told.isEnough || met.has(fault.text)) continue;
    met.add(fault.text);
    told.add(fault.text.length);
    fault.report(placeOf(fault, at));
  }
}

function placeOf({ path }: Fault, at: FieldErrors): FieldErrors {
  if (path === undefined) return at.path === '' ? at.child('<nil>') : at;
  // Members that no property names stand behind a dot even at the top.
  const below = path.startsWith('.') ? path.slice(1) : path;
  return below === '' ? at : at.child(below);
}

const invalid = (path: string, value: unknown, why: string): Fault => ({
  path,
  text: `${path} ${why}`,
  report: (at) => at.invalid(goUntyped(value), `${path} in body ${why}`),
});

const forbidden = (above: string, name: string): Fault => {
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
  // What is larger has lost digits, or was written with an exponent.
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number';
  if (typeof value === 'bigint') return 'integer';
  return typeof value === 'object' ? 'object' : (typeof value as 'boolean' | 'string');
}

/** undefined: nothing is asked. */
type Rule = (props: SchemaProps, value: never, path: string, course: Course) => Verdict | undefined;

const GOOD: Verdict = { faults: [], matches: 0 };
const FITTING: Verdict = { faults: [], matches: 1 };
const verdictOf = (faults: readonly Fault[], matches = 0): Verdict => (faults.length === 0 && matches === 0 ? GOOD : { faults, matches });

const TOO_LONG: Verdict = { faults: [unfit('takes too long to check against its schema')], matches: 0 };

function check(props: SchemaProps, value: unknown, path: string, course: Course): Verdict {
  if (++course.steps > MAX_STEPS) return TOO_LONG;
  const found = typeOf(value);
  const faults: Fault[] = [];
  // Of null it counts only whether it may be.
  let matches = found === 'null' ? 0 : 1;
  for (const rule of RULES[found]) {
    const verdict = rule(props, value as never, path, course);
    if (verdict === undefined) continue;
    append(faults, verdict.faults);
    matches += verdict.matches + (found === 'null' ? 0 : 1);
  }
  return { faults, matches };
}

function append(to: Fault[], more: readonly Fault[]): void {
  for (const fault of more) {
    if (to.length >= MAX_FAULTS) return;
    to.push(fault);
  }
}

function wantedTypes(props: SchemaProps, { judged }: Course): readonly string[] {
  if (props['x-kubernetes-int-or-string'] === true && judged === 'object') return ['integer', 'string'];
  return props.type === undefined || props.type === '' ? [] : [props.type];
}

/** The format that a value is held to; empty: none. */
function formatOf({ format = '' }: SchemaProps, { judged }: Course): string {
  return judged === 'default' || isKnownFormat(format) ? format : '';
}

/** What numbers are called where a format is not theirs. */
const NUMBER_FORMATS: Readonly<Partial<Record<JsonType, string>>> = { integer: 'int64', number: 'float64' };

function checkType(props: SchemaProps, value: unknown, path: string, course: Course): Verdict | undefined {
  const wanted = wantedTypes(props, course);
  const found = typeOf(value);
  const misfit = (name: string, what: string): Verdict => verdictOf([invalid(path, what, `must be of type ${name}: ${goQuoted(what)}`)]);
  if (found === 'null') return wanted.length === 0 || props.nullable === true ? FITTING : misfit(wanted.join(), found);
  const format = formatOf(props, course);
  if (wanted.length === 0 && format === '') return undefined;
  if (wanted.includes(found) || (found === 'integer' && wanted.includes('number'))) return FITTING;
  if (wanted.includes('integer') && found === 'number' && isWhole(value as number)) return FITTING;
  // A format stands for the type: of texts it is checked by itself.
  const isText = found === 'string' || found === 'array';
  if (format !== '' && !isText && NUMBER_FORMATS[found] !== format) return misfit(format, NUMBER_FORMATS[found] ?? '');
  if (format !== '' && isText && !wanted.includes('number') && !wanted.includes('integer')) return FITTING;
  return misfit(wanted.join(), found);
}

function checkEnum({ enum: choices }: SchemaProps, value: unknown, path: string, course: Course): Verdict {
  if (choices !== undefined && (course.steps += choices.length / COMPARED_AT_ONCE) > MAX_STEPS) return TOO_LONG;
  // Null is never chosen, even where it may be and is listed.
  const isChosen = value !== null && choices?.some((choice) => isChoice(choice, value));
  if (choices === undefined || choices.length === 0 || isChosen === true) return GOOD;
  const texts = choices.map((choice) => (typeof choice === 'string' ? choice : canonicalJson(choice)));
  return verdictOf([{ path, text: `${path} enum ${texts.join()}`, report: (at) => at.notSupported(goUntyped(value), texts) }]);
}

/** Numbers are compared as what the choice is: a fraction as whole number, and a whole number as the character of that code. */
function isChoice(choice: unknown, value: unknown): boolean {
  if (isDeepEqual(choice, value)) return true;
  if (typeof value !== 'number') return false;
  if (typeof choice === 'number') return Number.isSafeInteger(choice) && Math.trunc(value) === choice;
  return typeof choice === 'string' && typeOf(value) === 'integer' && choice === characterOf(value);
}

const characterOf = (code: number): string =>
  code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : '\ufffd';

/** The first fault says enough. */
function checkString(props: SchemaProps, value: string, path: string, course: Course): Verdict {
  const { minLength, maxLength, pattern } = props;
  const length = minLength === undefined && maxLength === undefined ? 0 : countCharacters(value);
  const fault = (why: string): Verdict => verdictOf([invalid(path, value, why)]);
  if (maxLength !== undefined && length > maxLength) return fault(`should be at most ${maxLength} chars long`);
  if (minLength !== undefined && length < minLength) return fault(`should be at least ${minLength} chars long`);
  if (!pattern) return GOOD;
  const compiled = compilePattern(pattern);
  const steps = (compiled?.size ?? 0) * value.length;
  if (steps > MAX_STEPS_OF_PATTERN || (course.patternSteps += steps) > MAX_PATTERN_STEPS) return TOO_LONG;
  return compiled?.matches(value) === true ? GOOD : fault(`should match '${pattern}'`);
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count++;
  return count;
}

function checkFormat({ format = '' }: SchemaProps, value: string, path: string): Verdict | undefined {
  if (!isKnownFormat(format)) return undefined;
  if (isOfFormat(format, value)) return GOOD;
  return verdictOf([invalid(path, value, `must be of type ${format}: ${goQuoted(value)}`)]);
}

/** Formats of numbers say something to readers only. */
function checkNumber(props: SchemaProps, value: number | bigint, path: string): Verdict {
  const faults: Fault[] = [];
  const { exclusiveMaximum, exclusiveMinimum } = props;
  const isInteger = typeOf(value) === 'integer';
  // Integers are compared with integers.
  const bound = (limit: number | undefined): number | undefined => (limit === undefined || !isInteger ? limit : Math.trunc(limit));
  const [multipleOf, maximum, minimum] = [bound(props.multipleOf) || props.multipleOf, bound(props.maximum), bound(props.minimum)];
  const show = (limit: number): string => (isInteger ? String(limit) : goFloatText(limit));
  if (multipleOf !== undefined && multipleOf < 0) faults.push(badFactor(path, multipleOf, show(multipleOf)));
  else if (multipleOf !== undefined && !isMultiple(value, multipleOf)) faults.push(invalid(path, value, `should be a multiple of ${show(multipleOf)}`));
  if (minimum !== undefined && (exclusiveMinimum === true ? value <= minimum : value < minimum)) {
    faults.push(invalid(path, value, `should be greater than ${exclusiveMinimum === true ? '' : 'or equal to '}${show(minimum)}`));
  }
  if (maximum !== undefined && (exclusiveMaximum === true ? value >= maximum : value > maximum)) {
    faults.push(invalid(path, value, `should be less than ${exclusiveMaximum === true ? '' : 'or equal to '}${show(maximum)}`));
  }
  return verdictOf(faults, 1);
}

const badFactor = (path: string, factor: number, shown: string): Fault => {
  const why = `factor MultipleOf declared for ${path} must be positive: ${shown}`;
  return { path, text: why, report: (at) => at.invalid(goUntyped(factor), why) };
};

/** Fractions are not exact: 0.3 is a multiple of 0.1. Where the factor is 0, integers cannot be judged. */
function isMultiple(value: number | bigint, of: number): boolean {
  if (typeOf(value) === 'integer' && Number.isInteger(of)) return of === 0 || BigInt(value) % BigInt(of) === 0n;
  const number = Number(value);
  return isWhole(of < 1 ? (1 / of) * number : number / of);
}

/** Whether a number is an integer, or a little more than one. */
function isWhole(value: number): boolean {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false;
  const whole = Math.trunc(value);
  return value === whole || (whole > 0 && (value - whole) / (value + whole) < 1e-9);
}

function checkArray(props: SchemaProps, value: readonly unknown[], path: string, course: Course): Verdict {
  const faults: Fault[] = [];
  let matches = 1;
  const { items, minItems, maxItems } = props;
  // Positions are not in the paths that the API reports.
  if (items !== undefined && !isList(items)) {
    for (const item of value) {
      const verdict = check(items, item, path, course);
      append(faults, verdict.faults);
      matches += verdict.matches;
    }
  }
  if (minItems !== undefined && value.length < minItems) faults.push(invalid(path, value.length, `should have at least ${minItems} items`));
  if (maxItems !== undefined && value.length > maxItems) faults.push(invalid(path, value.length, `should have at most ${maxItems} items`));
  return { faults, matches };
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
  if ((course.steps += required.length / COMPARED_AT_ONCE) > MAX_STEPS) return TOO_LONG;
  const faults: Fault[] = [];
  let matches = 0;
  const properties = (props.properties ?? {}) as Record<string, unknown>;
  for (const name of names) {
    const verdict = checkMember(props, properties, name, value[name], path, course);
    append(faults, verdict.faults);
    matches += verdict.matches;
  }
  for (const name of required) {
    if (faults.length >= MAX_FAULTS) break;
    if (!Object.hasOwn(value, name)) faults.push({ path: join(path, name), text: `${join(path, name)} required`, report: (at) => at.required() });
  }
  return { faults, matches };
}

/** `path` is that of the object. */
function checkMember(props: SchemaProps, properties: Record<string, unknown>, name: string, value: unknown, path: string, course: Course): Verdict {
  const property = memberOf(properties, name) as SchemaProps | undefined;
  if (property !== undefined) return check(property, value, join(path, name), course);
  const { additionalProperties } = props;
  if (isJsonObject(additionalProperties)) return check(additionalProperties, value, `${path}.${name}`, course);
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
  if (anyOf.length + oneOf.length + allOf.length === 0 && not === undefined) return FITTING;
  const faults: Fault[] = [];
  let matches = 1;
  const judge = (verdict: Verdict): void => {
    append(faults, verdict.faults);
    matches += verdict.matches;
  };
  const tryAll = (schemas: readonly SchemaProps[]): readonly Verdict[] => schemas.map((one) => check(one, value, path, course));
  if (anyOf.length > 0) judge(judgeAnyOf(tryAll(anyOf), path));
  if (oneOf.length > 0) judge(judgeOneOf(tryAll(oneOf), path));
  if (allOf.length > 0) judge(judgeAllOf(tryAll(allOf), path));
  if (not !== undefined && isGood(check(not, value, path, course))) faults.push(unfit(`${goQuoted(path)} must not validate the schema (not)`));
  return { faults, matches };
}

const isGood = ({ faults }: Verdict): boolean => faults.length === 0;

/** The alternative that came closest. */
const nearest = (verdicts: readonly Verdict[]): Verdict => verdicts.reduce((best, one) => (one.matches > best.matches ? one : best));

const preceded = (fault: Fault, { faults, matches }: Verdict): Verdict => ({ faults: [fault, ...faults], matches });

function judgeAnyOf(verdicts: readonly Verdict[], path: string): Verdict {
  return verdicts.find(isGood) ?? preceded(unfit(`${goQuoted(path)} must validate at least one schema (anyOf)`), nearest(verdicts));
}

function judgeOneOf(verdicts: readonly Verdict[], path: string): Verdict {
  const [good, ...others] = verdicts.filter(isGood);
  if (good !== undefined && others.length === 0) return good;
  const found = good === undefined ? 'none valid' : `${others.length + 1} valid alternatives`;
  const fault = unfit(`${goQuoted(path)} must validate one and only one schema (oneOf). Found ${found}`);
  return good === undefined ? preceded(fault, nearest(verdicts)) : verdictOf([fault]);
}

function judgeAllOf(verdicts: readonly Verdict[], path: string): Verdict {
  const faults: Fault[] = [];
  for (const verdict of verdicts) append(faults, verdict.faults);
  const matches = verdicts.reduce((sum, verdict) => sum + verdict.matches, 0);
  if (faults.length === 0) return { faults, matches };
  const rest = verdicts.some(isGood) ? '' : '. None validated';
  return { faults: [...faults, unfit(`${goQuoted(path)} must validate all the schemas (allOf)${rest}`)], matches };
}
