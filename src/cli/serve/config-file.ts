import { failureText } from '#base';
import type { CommandFlag } from '../flag.ts';
import { splitDocuments } from '../manifests/split-documents.ts';
import { parseFlags, type FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';
import { readFlagFile } from './given-files.ts';

/**
 * The flags, completed by the file that `--config` names: a YAML object whose keys are names of flags. Flags on the command line win.
 * Throws `UsageError` that names the file and the key.
 */
export async function withConfigFile(flags: FlagValues, table: readonly CommandFlag[]): Promise<FlagValues> {
  const text = await readFlagFile(flags, 'config');
  return text === undefined ? flags : flags.over(await readConfig(text, flags.text('config') ?? '', table));
}

async function readConfig(text: string, path: string, table: readonly CommandFlag[]): Promise<FlagValues> {
  // The YAML parser is loaded only where there is a file.
  const { parseYaml } = await import('#codec');
  try {
    if (splitDocuments(text).length > 1) throw new UsageError('there are several YAML documents: all flags belong into one');
    const content = parseYaml(Buffer.from(text), { mayRepeatKeys: false }) ?? {};
    if (typeof content !== 'object' || Array.isArray(content)) throw new UsageError('this is no YAML object with names of flags, as secure-port: 7443');
    checkSpellings(Object.keys(content));
    return parseFlags(Object.entries(content).flatMap((entry) => argumentsOf(entry, table)), table).flags;
  } catch (cause) {
    throw new UsageError(`--config ${path}: ${failureText(cause)}`);
  }
}

/** `_` in names counts as `-`: two keys may name one flag. */
function checkSpellings(keys: readonly string[]): void {
  const names = keys.map((key) => key.replaceAll('_', '-'));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new UsageError(`${twice} is there twice, with - and with _`);
}

/** A key and its value as command line arguments. Without a value it is refused as it is there. */
function argumentsOf([name, value]: readonly [string, unknown], table: readonly CommandFlag[]): readonly string[] {
  if (name === 'config') throw new UsageError('a file of flags cannot name another one');
  if (!/^[a-z][a-z0-9_-]*$/.test(name)) throw new UsageError(`${JSON.stringify(name)} is no name of a flag`);
  if (value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0)) return [`--${name}=`];
  if (typeof value === 'object') checkTakesSeveral(name, table);
  if (Array.isArray(value)) return value.map((one) => `--${name}=${textOf(name, one)}`);
  if (typeof value !== 'object') return [`--${name}=${textOf(name, value)}`];
  return Object.entries(value).map(([key, one]) => `--${name}=${key}=${textOf(name, one)}`);
}

/** Of several values the last one would count, and the others would be lost. */
function checkTakesSeveral(name: string, table: readonly CommandFlag[]): void {
  const flag = table.find((row) => row.name === name.replaceAll('_', '-'));
  if (flag !== undefined && flag.isList !== true) throw new UsageError(`${name}: this flag has one value, no list and no names with values`);
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  throw new UsageError(`${name}: a flag has a text, a number, true or false, a list of those or names with one of those`);
}
