import { goFloatText, isDeepEqual } from '#base';
import { goQuoted, goUntyped } from '#errors';
import { choicesOf } from './choices.ts';
import { COMPARED_AT_ONCE, giveUp, isReadTooOften, MAX_PATTERN_STEPS, MAX_STEPS_OF_PATTERN, takesTooLong, type Judging } from './judging.ts';
import { isKnownFormat, isOfFormat } from './formats.ts';
import { compilePattern } from './pattern.ts';
import type { SchemaProps } from './props.ts';
import { FITTING, GOOD, invalid, verdictOf, type Fault, type Verdict } from './verdict.ts';

/** What a schema asks of one value: its type, choices, texts and numbers. Lists and objects are walked in `validate.ts`. */

export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

export function typeOf(value: unknown): JsonType {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  // What is larger has lost digits, or was written with an exponent.
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number';
  if (typeof value === 'bigint') return 'integer';
  return typeof value === 'object' ? 'object' : (typeof value as 'boolean' | 'string');
}

function wantedTypes(props: SchemaProps, { judged }: Judging): readonly string[] {
  if (props['x-kubernetes-int-or-string'] === true && judged === 'object') return ['integer', 'string'];
  return props.type === undefined || props.type === '' ? [] : [props.type];
}

/** The format that a value must have; empty: any. */
function formatOf({ format = '' }: SchemaProps, { judged }: Judging): string {
  return judged === 'default' || isKnownFormat(format) ? format : '';
}

/** The formats of numbers, as messages name them. */
const NUMBER_FORMATS: Readonly<Partial<Record<JsonType, string>>> = { integer: 'int64', number: 'float64' };

export function checkType(props: SchemaProps, value: unknown, path: string, judging: Judging): Verdict | undefined {
  const wanted = wantedTypes(props, judging);
  const found = typeOf(value);
  const misfit = (name: string, what: string): Verdict => verdictOf([invalid(path, what, `must be of type ${name}: ${goQuoted(what)}`)]);
  if (found === 'null') return wanted.length === 0 || props.nullable === true ? FITTING : misfit(wanted.join(), found);
  const format = formatOf(props, judging);
  if (wanted.length === 0 && format === '') return undefined;
  if (wanted.includes(found) || (found === 'integer' && wanted.includes('number'))) return FITTING;
  if (wanted.includes('integer') && found === 'number' && isWhole(value as number)) return FITTING;
  // A format stands for the type of a number; `checkFormat` looks at those of texts.
  const isText = found === 'string' || found === 'array';
  if (format !== '' && !isText && NUMBER_FORMATS[found] !== format) return misfit(format, NUMBER_FORMATS[found] ?? '');
  if (format !== '' && isText && !wanted.includes('number') && !wanted.includes('integer')) return FITTING;
  return misfit(wanted.join(), found);
}

export function checkEnum({ enum: choices }: SchemaProps, value: unknown, path: string, judging: Judging): Verdict {
  if (choices === undefined || choices.length === 0) return GOOD;
  const known = choicesOf(choices);
  // A text or number costs one comparison for each choice, whatever that is; objects and lists are compared part by part.
  const compared = typeof value === 'object' ? known.parts : choices.length;
  if (takesTooLong(judging, compared / COMPARED_AT_ONCE)) return giveUp(judging);
  // Null fits no enum, even where it is nullable and listed.
  if (value !== null && choices.some((choice) => isChoice(choice, value))) return GOOD;
  const { texts, text } = known;
  return verdictOf([{ path, text: `${path} enum ${text}`, report: (at) => at.notSupported(goUntyped(value), texts) }]);
}

/** As Go converts the value to the type of the choice: a fraction is cut to a whole number, a whole number becomes the character of that code. */
function isChoice(choice: unknown, value: unknown): boolean {
  if (isDeepEqual(choice, value)) return true;
  if (typeof value !== 'number') return false;
  if (typeof choice === 'number') return Number.isSafeInteger(choice) && Math.trunc(value) === choice;
  return typeOf(value) === 'integer' && choice === characterOf(value);
}

const characterOf = (code: number): string =>
  code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : '\ufffd';

/** Reports the first fault only. */
export function checkString(props: SchemaProps, value: string, path: string, judging: Judging): Verdict {
  const { minLength, maxLength, pattern } = props;
  const isCounted = minLength !== undefined || maxLength !== undefined;
  if (isCounted && isReadTooOften(judging, value)) return giveUp(judging);
  const length = isCounted ? countCharacters(value) : 0;
  const fault = (why: string): Verdict => verdictOf([invalid(path, value, why)]);
  if (maxLength !== undefined && length > maxLength) return fault(`should be at most ${maxLength} chars long`);
  if (minLength !== undefined && length < minLength) return fault(`should be at least ${minLength} chars long`);
  if (!pattern) return GOOD;
  const compiled = compilePattern(pattern);
  const steps = (compiled?.size ?? 0) * value.length;
  if (steps > MAX_STEPS_OF_PATTERN || (judging.patternSteps += steps) > MAX_PATTERN_STEPS) return giveUp(judging);
  return compiled?.matches(value) === true ? GOOD : fault(`should match '${pattern}'`);
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count++;
  return count;
}

export function checkFormat({ format = '' }: SchemaProps, value: string, path: string, judging: Judging): Verdict | undefined {
  if (!isKnownFormat(format)) return undefined;
  if (isReadTooOften(judging, value)) return giveUp(judging);
  if (isOfFormat(format, value)) return GOOD;
  return verdictOf([invalid(path, value, `must be of type ${format}: ${goQuoted(value)}`)]);
}

/** The format of a number is not checked. */
export function checkNumber(props: SchemaProps, value: number | bigint, path: string): Verdict {
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

/** Fractions are compared with some tolerance: 0.3 is a multiple of 0.1. An integer is a multiple of 0. */
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
