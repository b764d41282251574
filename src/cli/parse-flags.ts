import { didYouMean, isWithin, parseDurationMs, withinWords } from '#base';
import type { CommandFlag } from './flag.ts';
import { UsageError } from './usage-error.ts';

export interface ParsedArguments {
  readonly words: readonly string[];
  readonly flags: FlagValues;
  /** Whether `--help` or `-h` was given; nothing else is evaluated then. */
  readonly isHelpAsked: boolean;
}

type Value = string | number | boolean | readonly string[];

/** The values of the given flags, and the defaults of the others. */
export class FlagValues {
  readonly #values: ReadonlyMap<string, Value>;
  readonly #given: ReadonlySet<string>;

  /** `given`: names of the flags that were given. */
  constructor(values: ReadonlyMap<string, Value>, given: ReadonlySet<string> = new Set()) {
    this.#values = values;
    this.#given = given;
  }

  /** Names of the flags that were given. */
  get given(): ReadonlySet<string> {
    return this.#given;
  }

  /** These values, with those of `others` for flags that were not given here. */
  over(others: FlagValues): FlagValues {
    const values = new Map(this.#values);
    for (const name of others.#given) if (!this.#given.has(name)) values.set(name, others.#values.get(name) as Value);
    return new FlagValues(values, new Set([...this.#given, ...others.#given]));
  }

  /** The value of a flag as text; the values of a list with commas between. */
  text(name: string): string | undefined {
    const value = this.#values.get(name);
    return value === undefined ? undefined : String(value);
  }

  number(name: string): number | undefined {
    const value = this.#values.get(name);
    return typeof value === 'number' ? value : undefined;
  }

  /** The value of a duration flag, in milliseconds. */
  milliseconds(name: string): number | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : parseDurationMs(value);
  }

  isOn(name: string): boolean {
    return this.#values.get(name) === true;
  }

  list(name: string): readonly string[] {
    const value = this.#values.get(name);
    return Array.isArray(value) ? (value as readonly string[]) : [];
  }

  /** The values of a list flag, given repeatedly or separated by commas. */
  words(name: string): readonly string[] {
    return this.list(name).flatMap((value) => value.split(',')).map((word) => word.trim()).filter((word) => word !== '');
  }
}

/**
 * Reads `--name=value`, `--name value`, `-n value`, `-nvalue`, `-n=value`, `-Aw` for two switches, and `--` before words that begin with a
 * dash; `_` in names counts as `-`. Of repeated flags the last one counts, unless the flag is a list.
 * Throws `UsageError` that names an unknown flag and the nearest known one.
 */
export function parseFlags(args: readonly string[], table: readonly CommandFlag[]): ParsedArguments {
  const values = new Map<string, Value>();
  for (const { name, default: fallback } of table) if (fallback !== undefined) values.set(name, fallback);
  const seen = new Set<string>();
  const words: string[] = [];
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') {
      words.push(...rest.splice(0));
    } else if (arg === '--help' || arg === '-h') {
      return { words, flags: new FlagValues(values, seen), isHelpAsked: true };
    } else if (!arg.startsWith('-') || arg === '-') {
      words.push(arg);
    } else {
      const { flag, spelled, given } = arg.startsWith('--') ? readLong(arg, table) : readShort(arg, table, rest);
      const text = given ?? (flag.type === 'boolean' ? 'true' : takeValue(spelled, rest));
      setValue(values, flag, spelled, text);
      seen.add(flag.name);
    }
  }
  return { words, flags: new FlagValues(values, seen), isHelpAsked: false };
}

interface Read {
  readonly flag: CommandFlag;
  /** The flag as spelled on the command line, for messages. */
  readonly spelled: string;
  /** The value from the same argument, as in `--name=value`. */
  readonly given: string | undefined;
}

function readLong(arg: string, table: readonly CommandFlag[]): Read {
  const at = arg.indexOf('=');
  const name = (at < 0 ? arg.slice(2) : arg.slice(2, at)).replaceAll('_', '-');
  const flag = table.find((row) => row.name === name);
  if (flag !== undefined) return { flag, spelled: `--${name}`, given: at < 0 ? undefined : arg.slice(at + 1) };
  throw new UsageError(`unknown flag --${name}${didYouMean(name, table.map((row) => row.name), (near) => `--${near}`)}`);
}

/** Reads the first flag of a short argument; the remaining letters of grouped switches are put back to the front of `rest`. */
function readShort(arg: string, table: readonly CommandFlag[], rest: string[]): Read {
  const letter = arg.charAt(1);
  const spelled = `-${letter}`;
  const flag = table.find((row) => row.short === letter);
  if (flag === undefined) throw new UsageError(`unknown flag ${spelled}`);
  const behind = arg.slice(2);
  if (behind.startsWith('=')) return { flag, spelled, given: behind.slice(1) };
  if (behind === '') return { flag, spelled, given: undefined };
  if (flag.type !== 'boolean') return { flag, spelled, given: behind };
  rest.unshift(`-${behind}`);
  return { flag, spelled, given: undefined };
}

/** Takes the next argument as the value. A single dash and negative numbers are values; other arguments with a dash are flags. */
function takeValue(spelled: string, rest: string[]): string {
  const value = rest.shift();
  if (value === undefined || /^-[^\d]/.test(value)) throw new UsageError(`${spelled} needs a value`);
  return value;
}

function setValue(values: Map<string, Value>, flag: CommandFlag, spelled: string, text: string): void {
  const value = readValue(flag, spelled, text);
  const before = values.get(flag.name);
  values.set(flag.name, flag.isList === true ? [...(Array.isArray(before) ? (before as readonly string[]) : []), ...(text === '' ? [] : [text])] : value);
}

function readValue(flag: CommandFlag, spelled: string, text: string): string | number | boolean {
  if (flag.type === 'boolean') {
    if (!/^(?:true|t|1|false|f|0)$/i.test(text)) throw new UsageError(`${spelled} is true or false, not ${JSON.stringify(text)}`);
    return /^[t1]/i.test(text);
  }
  if (text === '' && !(flag.type === 'string' && flag.mayBeEmpty === true)) throw new UsageError(`${spelled} needs a value`);
  if (flag.type === 'number') return readNumber(flag, spelled, text);
  if (flag.type === 'duration') return readDuration(spelled, text);
  if (flag.choices !== undefined && !flag.choices.includes(text)) {
    throw new UsageError(`${spelled} is one of ${flag.choices.join(', ')}, not ${JSON.stringify(text)}${didYouMean(text, flag.choices)}`);
  }
  return text;
}

function readDuration(spelled: string, text: string): string {
  const ms = parseDurationMs(text);
  if (ms === undefined || ms < 0) throw new UsageError(`${spelled} is a duration such as 30s, 5m or 1h30m, at most 2562047h, not ${JSON.stringify(text)}`);
  return text;
}

function readNumber(bounds: CommandFlag, spelled: string, text: string): number {
  const number = Number(text);
  if (!/^-?\d+$/.test(text) || !isWithin(number, bounds)) throw new UsageError(`${spelled} is ${withinWords(bounds)}, not ${JSON.stringify(text)}`);
  return number;
}
