import { didYouMean, hasFunctions, isWithin, shownValue, tagOf, withinWords, type Bounds } from '#base';
import { FLAGS, type Flag } from './flags.table.ts';

/** What an option takes: programs in plain JavaScript have no compiler that says so. `T` is its type in TypeScript. */
export interface OptionCheck<T> {
  /** In words, for messages: `a text`. */
  readonly takes: string;
  /** What is wrong with the value at this path; undefined: nothing. */
  fault(value: unknown, at: string): string | undefined;
  /** Never there: for the compiler alone. */
  readonly of?: T;
}

/** An option that must be given. */
export interface RequiredCheck<T> extends OptionCheck<T> {
  readonly isRequired: true;
}

/** One check for each option of `T`; one that is added to `T` alone does not compile. */
export type Shape<T> = { readonly [K in keyof T]-?: Partial<Pick<T, K>> extends Pick<T, K> ? OptionCheck<NonNullable<T[K]>> : RequiredCheck<T[K]> };

/** An option whose values `fits` accepts. */
export const option = <T>(takes: string, fits: (value: unknown) => boolean): OptionCheck<T> => ({
  takes,
  fault: (value, at) => (fits(value) ? undefined : wrong(at, takes, value)),
});

export const required = <T>(check: OptionCheck<T>): RequiredCheck<T> => ({ ...check, isRequired: true });

export const text = option<string>('a text', (value) => typeof value === 'string');
export const yesOrNo = option<boolean>('true or false', (value) => typeof value === 'boolean');
export const run = <T>(): OptionCheck<T> => option('a function', (value) => typeof value === 'function');
export const anything = option<unknown>('anything', () => true);

const fromZero = (value: unknown): boolean => typeof value === 'number' && value >= 0;
export const amount = option<number>('a number from 0 on', fromZero);
export const milliseconds = option<number>('a number of milliseconds from 0 on', fromZero);
export const seconds = option<number>('a number of seconds from 0 on', fromZero);
export const someMilliseconds = option<number>('a number of milliseconds above 0', (value) => typeof value === 'number' && value > 0);

export const whole = (bounds: Bounds = {}): OptionCheck<number> => option(withinWords(bounds), (value) => isWithin(value, bounds));

type NumberFlag = Extract<(typeof FLAGS)[number], { readonly type: 'number' }>['name'];

/** A number with the bounds of the flag that sets the same. */
export const asFlag = (name: NumberFlag): OptionCheck<number> => whole((FLAGS as readonly Flag[]).find((flag) => flag.name === name));

export const choice = <T extends string>(values: readonly T[]): OptionCheck<T> => option(`one of ${values.join(', ')}`, (value) => values.includes(value as T));

/** A text of which the part of the server that it is for says whether it is one of those it knows. */
export const word = <T extends string>(): OptionCheck<T> => text as OptionCheck<string> as OptionCheck<T>;

/** An object of the embedding program: what it is called, and the functions that it must have. */
export const having = <T>(name: string, ...functions: readonly (keyof T & string)[]): OptionCheck<T> =>
  option(`${name} with the functions ${functions.join(', ')}`, (value) => hasFunctions(value, functions));

/** Nothing, said by `false`, or what `check` takes. */
export const falseOr = <T>(check: OptionCheck<T>): OptionCheck<T | false> => ({
  takes: `false or ${check.takes}`,
  fault: (value, at) => (value === false ? undefined : isObject(value) ? check.fault(value, at) : wrong(at, `false or ${check.takes}`, value)),
});

export const listOf = <T>(item: OptionCheck<T>): OptionCheck<readonly T[]> => {
  const takes = `a list, each item ${item.takes}`;
  return { takes, fault: (value, at) => (Array.isArray(value) ? firstFault(value.map((one, i) => [`${at}[${i}]`, one] as const), item) : wrong(at, takes, value)) };
};

export const pairOf = <T>(item: OptionCheck<T>): OptionCheck<readonly [T, T]> => {
  const list = listOf(item);
  const takes = `a list of two, each ${item.takes}`;
  return { takes, fault: (value, at) => (Array.isArray(value) && value.length !== 2 ? wrong(at, takes, value) : list.fault(value, at)) };
};

export const recordOf = <T>(item: OptionCheck<T>): OptionCheck<Readonly<Record<string, T>>> => {
  const takes = `an object, each member ${item.takes}`;
  return { takes, fault: (value, at) => (isObject(value) ? firstFault(Object.entries(value).map(([name, one]) => [`${at}.${name}`, one] as const), item) : wrong(at, takes, value)) };
};

/** `names`: the keys that there are; absent: any. */
export const mapOf = <T>(item: OptionCheck<T>, names?: readonly string[]): OptionCheck<ReadonlyMap<string, T>> => {
  const takes = `a Map, each value ${item.takes}`;
  return {
    takes,
    fault(value, at) {
      if (tagOf(value) !== 'Map') return wrong(at, takes, value);
      const entries = [...(value as ReadonlyMap<string, unknown>)].map(([name, one]) => [at, name, one] as const);
      const unknown = names === undefined ? undefined : entries.find(([, name]) => !names.includes(name))?.[1];
      return unknown === undefined ? firstFault(entries.map(([, name, one]) => [`${at}.${name}`, one] as const), item) : noSuch(at, unknown, names ?? []);
    },
  };
};

/** An object with these members and no others. */
export const group = <T>(shape: Shape<T>): OptionCheck<T> => {
  const checks = shape as MemberChecks;
  const names = Object.keys(checks);
  const takes = `an object with ${names.join(', ')}`;
  return {
    takes,
    fault(value, at) {
      if (!isObject(value)) return wrong(at, takes, value);
      const unknown = Object.keys(value).find((name) => !Object.hasOwn(checks, name));
      return unknown === undefined ? faultOfMembers(checks, value, at) : noSuch(at, unknown, names);
    },
  };
};

/** An object of the embedding program: what it is called, and the members that are looked at. It may have others. */
export const withMembers = <T>(takes: string, shape: Partial<Shape<T>>): OptionCheck<T> => ({
  takes,
  fault: (value, at) => (isObject(value) ? faultOfMembers(shape as MemberChecks, value, at) : wrong(at, takes, value)),
});

type MemberChecks = Readonly<Record<string, OptionCheck<unknown> & { readonly isRequired?: true }>>;

function faultOfMembers(checks: MemberChecks, value: Readonly<Record<string, unknown>>, at: string): string | undefined {
  for (const [name, check] of Object.entries(checks)) {
    const fault = value[name] === undefined ? (check.isRequired === true ? `option ${below(at, name)} is missing: it is ${check.takes}` : undefined) : check.fault(value[name], below(at, name));
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const below = (at: string, name: string): string => (at === '' ? name : `${at}.${name}`);

function noSuch(at: string, name: string, names: readonly string[]): string {
  const hint = didYouMean(name, names, (near) => below(at, near)) || `; there are ${names.join(', ')}`;
  return `there is no option ${below(at, name)}${hint}`;
}

function firstFault(entries: readonly (readonly [at: string, value: unknown])[], check: OptionCheck<unknown>): string | undefined {
  for (const [at, value] of entries) {
    const fault = check.fault(value, at);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const wrong = (at: string, takes: string, value: unknown): string => `${at === '' ? 'what a server is started with' : `option ${at}`} is ${takes}, not ${shownValue(value)}`;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => tagOf(value) === 'Object';
