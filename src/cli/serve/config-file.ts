import { failureText } from '#base';
import type { CommandFlag } from '../flag.ts';
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
    const content = parseYaml(Buffer.from(text)) ?? {};
    if (typeof content !== 'object' || Array.isArray(content)) throw new UsageError('this is no YAML object with names of flags, as secure-port: 7443');
    return parseFlags(Object.entries(content).flatMap(argumentsOf), table).flags;
  } catch (cause) {
    throw new UsageError(`--config ${path}: ${failureText(cause)}`);
  }
}

/** A key and its value as command line arguments. */
function argumentsOf([name, value]: readonly [string, unknown]): readonly string[] {
  if (name === 'config') throw new UsageError('a file of flags cannot name another one');
  if (!/^[a-z][a-z0-9_-]*$/.test(name)) throw new UsageError(`${JSON.stringify(name)} is no name of a flag`);
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.map((one) => `--${name}=${textOf(name, one)}`);
  if (typeof value !== 'object') return [`--${name}=${textOf(name, value)}`];
  const pairs = Object.entries(value).map(([key, one]) => `${key}=${textOf(name, one)}`);
  return pairs.length === 0 ? [] : [`--${name}=${pairs.join(',')}`];
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  throw new UsageError(`${name}: a flag has a text, a number, true or false, a list of those or names with one of those`);
}
