import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** One thing a process did to a file, or said. A file is named by its path. */
export type Note =
  | { readonly kind: 'opened'; readonly path: string; readonly truncates: boolean }
  /** `isFlushed`: it was on the disk when the call returned (O_DSYNC). */
  | { readonly kind: 'written'; readonly path: string; readonly offset: number; readonly bytes: Buffer; readonly isFlushed: boolean }
  | { readonly kind: 'resized'; readonly path: string; readonly bytes: number }
  /** What was written to the file before it is on the disk when the `flushed` of the same number has come. */
  | { readonly kind: 'flush-begun' | 'flushed'; readonly path: string; readonly flush: number }
  | { readonly kind: 'removed'; readonly path: string }
  | { readonly kind: 'renamed'; readonly path: string; readonly to: string }
  | { readonly kind: 'told'; readonly text: string };

/** In the order of `enum kind` in recorder.c. */
const KINDS = [undefined, 'opened', 'written', 'resized', 'flush-begun', 'flushed', 'removed', 'renamed', 'told', 'refused'] as const;
const HEAD_BYTES = 24;
const SOURCE = resolve('test/durability/disk-calls/recorder.c');

/** Makes the library that records and makes calls fail, in `folder`; gives why it cannot be made here, if it cannot. */
export function buildRecorder(folder: string): { readonly library: string; readonly problem: string | false } {
  const library = join(folder, 'recorder.so');
  if (process.platform !== 'linux') return { library, problem: 'what a process writes is recorded on Linux only' };
  const { status, error } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-Wall', '-Werror', '-o', library, SOURCE], { stdio: 'inherit' });
  return { library, problem: status === 0 ? false : `this machine has no C compiler to build the recorder with: ${error?.message ?? `cc ended with ${status}`}` };
}

export interface Recorded {
  readonly library: string;
  /** Files below it are recorded. */
  readonly folder: string;
  /** Where the recording goes. */
  readonly to: string;
  /** A program and its arguments, for this Node. */
  readonly program: readonly string[];
  /** So long after its first word it is killed. */
  readonly lifeMs: number;
}

/** Runs a program that writes without end, kills it, and returns what it did in its order. */
export async function record({ library, folder, to, program, lifeMs }: Recorded): Promise<Note[]> {
  const env = { ...process.env, LD_PRELOAD: library, RECORD_UNDER: `${folder}/`, RECORD_TO: to };
  const child = spawn(process.execPath, program, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), lifeMs));
  child.stdout.resume();
  const signal = await new Promise<NodeJS.Signals | null>((done) => child.once('close', (_, why) => done(why)));
  if (signal !== 'SIGKILL') throw new Error('the program ended before it was killed');
  return [...notesOf(readFileSync(to))];
}

function* notesOf(recording: Buffer): Generator<Note> {
  /** The file behind each descriptor, and the number of its flush under way. */
  const paths = new Map<number, string>();
  let flushes = 0;
  const begun = new Map<number, number>();
  for (let at = 0; at + HEAD_BYTES <= recording.length;) {
    const length = Number(recording.readBigUInt64LE(at + 16));
    const bytes = recording.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length);
    // The kill cut the last one short.
    if (bytes.length < length) return;
    const kind = KINDS[recording[at]!];
    const descriptor = recording.readUInt32LE(at + 4);
    const offset = Number(recording.readBigUInt64LE(at + 8));
    const path = paths.get(descriptor) ?? '';
    const text = bytes.toString();
    if (kind === 'opened') {
      paths.set(descriptor, text);
      yield { kind, path: text, truncates: offset !== 0 };
    } else if (kind === 'written') yield { kind, path, offset, bytes, isFlushed: recording[at + 1] !== 0 };
    else if (kind === 'resized') yield { kind, path, bytes: offset };
    else if (kind === 'flush-begun') {
      begun.set(descriptor, ++flushes);
      yield { kind, path, flush: flushes };
    } else if (kind === 'flushed') yield { kind, path, flush: begun.get(descriptor)! };
    else if (kind === 'removed') yield { kind, path: text };
    else if (kind === 'renamed') {
      const [from = '', renamed = ''] = text.split('\0');
      yield { kind, path: from, to: renamed };
    } else if (kind === 'told') yield { kind, text };
    else throw new Error(`the recording cannot say what ${text} does: teach recorder.c`);
    at += HEAD_BYTES + length;
  }
}
