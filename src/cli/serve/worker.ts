import cluster from 'node:cluster';
import { statSync } from 'node:fs';
import { join, parse } from 'node:path';
import { askToEnd } from '../ending-signals.ts';

// What a process does that is one of several workers, and what it and its supervisor (`workers.ts`) tell each other.

/** The ports of a worker. */
export interface Ports {
  readonly port: number;
  /** That of plain HTTP; absent: it speaks none. */
  readonly insecurePort?: number | undefined;
}

/** The message of a worker that serves: the text to print for the user, and its ports. */
export interface Ready extends Ports {
  readonly ready: string;
}

/** The request to stop. */
export const STOP = 'stop';
/** The question whether a worker is alive, and its answer. */
export const PING = 'ping';

/** Environment variable with the number of a worker, from 1 on. A replacement gets the number of the worker it replaces. */
export const WORKER_NUMBER = 'ORCH_WORKER';

/**
 * The path that this process writes to: every worker but the first has its own file, with its number before the extension. All share what is no file:
 * the standard output (`-`), pipes and devices.
 */
export function ownFile(path: string, { [WORKER_NUMBER]: number = '1' }: Readonly<Record<string, string | undefined>>): string {
  if (number === '1' || path === '-' || isStream(path)) return path;
  const { dir, name, ext } = parse(path);
  return join(dir, `${name}.${number}${ext}`);
}

function isStream(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/** Environment variable of workers that begin after one of them has served. */
export const LATER_WORKER = 'ORCH_LATER_WORKER';

/**
 * Whether this process is to write what tells clients how to connect: the server itself, and of several workers the one that serves first. Later ones
 * serve the same address with the same credentials, and the user may have changed the file meanwhile.
 */
export const tellsHowToConnect = (env: Readonly<Record<string, string | undefined>>): boolean => env[LATER_WORKER] === undefined;

/** Whether this process is a worker of `superviseWorkers`. */
export const isWorker = (): boolean => cluster.isWorker;

/** Tells the supervisor that this worker serves requests at these ports. */
export function tellReady(words: string, { port, insecurePort }: Ports): void {
  process.send?.({ ready: words, port, insecurePort } satisfies Ready);
}

/**
 * Resolves when the supervisor asks this worker to stop. SIGTERM and SIGINT are ignored: a terminal sends them to all its processes, and the
 * supervisor acts on them.
 */
export function waitForStop(): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {});
  const told = new Promise<void>((resolve) => {
    process.on('message', (message) => {
      if (message === STOP) {
        askToEnd('SIGTERM');
        resolve();
      } else if (message === PING) process.send?.(PING);
    });
  });
  // The IPC channel does not keep the process alive on its own.
  process.channel?.unref();
  return told;
}
