import { didYouMean, failureText } from '#base';
import { EXIT } from './command.ts';
import { COMMANDS } from './commands.table.ts';
import { tellFailure } from './explain-failure.ts';
import { commandHelp, overview } from './help.ts';
import { parseFlags } from './parse-flags.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** Runs one command line. Resolves to the exit code; every failure is reported on `terminal.err`, without stack trace. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name = 'help', ...rest] = args;
  try {
    return await heard(runCommand(name, rest, terminal), terminal);
  } catch (cause) {
    tellFailure(terminal, cause);
    if (!(cause instanceof UsageError)) return EXIT.failed;
    terminal.err(COMMANDS.has(name) ? `orch ${name} --help says how it is used.\n` : 'orch --help lists the commands.\n');
    return EXIT.usage;
  }
}

/** The exit code of a command, once its output is flushed. A reader that closed the pipe is no failure; a failed write, as on a full disk, is. */
async function heard(code: Promise<number>, terminal: Terminal): Promise<number> {
  const [outcome] = await Promise.allSettled([code]);
  const lost = await terminal.outFailure();
  if (lost !== undefined) throw new Error(`the output cannot be written: ${failureText(lost)}`, { cause: lost });
  if (outcome.status === 'fulfilled') return outcome.value;
  if (terminal.outClosed.aborted) return EXIT.ok;
  throw outcome.reason;
}

async function runCommand(name: string, rest: readonly string[], terminal: Terminal): Promise<number> {
  if (name === '--help' || name === '-h') return showHelp(undefined, terminal);
  if (name === '--version') return runCommand('version', ['--client', ...rest], terminal);
  if (name === 'help') return showHelp(rest[0], terminal);
  const command = await load(name);
  const { words, flags, isHelpAsked } = parseFlags(rest, command.flags);
  return isHelpAsked ? showHelp(name, terminal) : command.run(words, flags, terminal);
}

async function showHelp(name: string | undefined, terminal: Terminal): Promise<number> {
  terminal.out(name === undefined ? overview() : commandHelp(await load(name)));
  return EXIT.ok;
}

async function load(name: string): ReturnType<NonNullable<ReturnType<typeof COMMANDS.get>>['load']> {
  const row = COMMANDS.get(name);
  if (row !== undefined) return row.load();
  const what = name.startsWith('-') ? `expected a command, not ${name}` : `unknown command ${JSON.stringify(name)}`;
  throw new UsageError(`${what}${didYouMean(name, COMMANDS.keys())}`);
}
