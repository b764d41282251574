import cluster, { type Worker } from 'node:cluster';
import { join, parse } from 'node:path';
import { setTimeout } from '#base';
import { EXIT } from '../command.ts';
import type { FlagValues } from '../parse-flags.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { waitForSignal } from './wait-for-signal.ts';

/** What a worker says once it serves: the words for the person who started it, and where it listens. */
interface Ready {
  readonly ready: string;
  readonly port: number;
}
const STOP = 'stop';
/** A worker that ended before it served is not started again at once. */
const START_AGAIN_MS = 1_000;

/** How many processes the flags ask for. Throws `UsageError` where the store belongs to one process. */
export function workersOf(flags: FlagValues): number {
  const count = flags.number('workers') ?? 1;
  const scheme = (flags.text('store') ?? 'lmdb://').split(':')[0] ?? '';
  if (count > 1 && (scheme === 'memory' || scheme === 'sqlite')) {
    throw new UsageError(`--workers=${count}: a store ${scheme}:// belongs to one process; use lmdb:// or --etcd-servers`);
  }
  return count;
}

/** In the environment of a worker: its number among them, from 1 on. One that takes the place of another gets its number. */
const NUMBER = 'ORCH_WORKER';

/** The file that this process writes: every worker but the first has one of its own, with its number before the ending. */
export function ownFile(path: string, { [NUMBER]: number = '1' }: Readonly<Record<string, string | undefined>>): string {
  if (number === '1') return path;
  const { dir, name, ext } = parse(path);
  return join(dir, `${name}.${number}${ext}`);
}

/** Whether this process is one of several, started by `superviseWorkers`. */
export const isWorker = (): boolean => cluster.isWorker;

/** Tells the process that started this one that requests are served. */
export function tellReady(words: string, port: number): void {
  process.send?.({ ready: words, port } satisfies Ready);
}

/** Resolves when the process that started this one says so. Signals of a terminal reach all of its processes and mean that one. */
export function waitForStop(): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {});
  const told = new Promise<void>((resolve) => {
    process.on('message', (message) => {
      if (message === STOP) resolve();
    });
  });
  // Listening for it does not keep alive a process that has nothing else to do any more.
  process.channel?.unref();
  return told;
}

/**
 * Keeps `count` processes that run the same command line serve on the same address, until a signal; resolves to the exit code. The first one
 * makes what a new store needs, then the others come; one that dies is replaced.
 */
export async function superviseWorkers(count: number, terminal: Terminal): Promise<number> {
  const stop = waitForSignal();
  // All accept from one queue. Where this process hands connections out, one on its way to a worker that dies is never heard of again.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const args = process.argv.slice(2);
  cluster.setupPrimary({ args });
  const workers = new Supervised(terminal);
  const first = await Promise.race([workers.start(1), stop.then(() => EXIT.ok)]);
  if (typeof first === 'number') {
    await workers.stop();
    return first;
  }
  terminal.out(first.ready);
  // Whoever comes later comes to the same address, also where the first one chose it.
  cluster.setupPrimary({ args: [...args, `--secure-port=${first.port}`] });
  for (let number = 2; number <= count; number++) void workers.keep(number);
  await stop;
  await workers.stop();
  return EXIT.ok;
}

class Supervised {
  readonly #terminal: Terminal;
  readonly #ends = new Map<Worker, Promise<void>>();
  #isStopping = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Starts one; resolves when it serves, or to its exit code if it never does. From then on it is replaced when it dies. */
  start(number: number): Promise<Ready | number> {
    return new Promise((resolve) => {
      const worker = cluster.fork({ [NUMBER]: number });
      let serves = false;
      worker.on('message', (message: Ready) => {
        serves = true;
        // What it was told while it started it has not heard.
        if (this.#isStopping) worker.send(STOP, () => {});
        resolve(message);
      });
      const ended = new Promise<void>((resolveEnd) => {
        worker.once('exit', (code) => {
          this.#ends.delete(worker);
          resolveEnd();
          resolve(code ?? EXIT.failed);
          if (serves && !this.#isStopping) this.#replace(worker, number);
        });
      });
      this.#ends.set(worker, ended);
    });
  }

  /** Starts one, again and again until it serves. */
  async keep(number: number): Promise<void> {
    while (!this.#isStopping && typeof (await this.start(number)) === 'number') await new Promise((resolve) => setTimeout(resolve, START_AGAIN_MS));
  }

  /** Lets all of them end what they are doing. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const worker of this.#ends.keys()) worker.send(STOP, () => {});
    await Promise.all(this.#ends.values());
  }

  #replace({ process: { pid, signalCode, exitCode } }: Worker, number: number): void {
    this.#terminal.err(`worker ${pid} ended (${signalCode ?? `exit code ${exitCode}`}): another one takes its place\n`);
    void this.keep(number);
  }
}
