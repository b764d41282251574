// Runs the built command line as a person would.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { endsWithFile } from '../support/children.ts';

export interface Finished {
  /** The exit code, or the name of the signal that ended it. */
  readonly code: number | string;
  readonly out: string;
  readonly err: string;
}

const PROGRAM = path.resolve('dist/bin/orch.js');

/** Starts a command; `cwd` and `env` keep it away from what the developer has lying around. */
export function start(args: readonly string[], options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> }): ChildProcessWithoutNullStreams {
  const env = { PATH: process.env['PATH'], ...options.env };
  return endsWithFile(spawn(process.execPath, [PROGRAM, ...args], { cwd: options.cwd, env }));
}

/** Runs a command to its end. */
export async function orch(
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>>; readonly input?: string },
): Promise<Finished> {
  const child = start(args, options);
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code: code ?? signal ?? 'unknown', out, err };
}

/** The lines a running command prints, one by one. Throws when it ends instead. */
export function linesOf(child: ChildProcessWithoutNullStreams): () => Promise<string> {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async () => {
    const { value, done } = (await lines.next()) as IteratorResult<string, undefined>;
    if (done === true) throw new Error('the command ended');
    return value;
  };
}
