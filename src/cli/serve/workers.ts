import cluster, { type Worker } from 'node:cluster';
import { afterAwake, setInterval, setTimeout } from '#base';
import { EXIT } from '../command.ts';
import { waitForSignal } from '../ending-signals.ts';
import type { FlagValues } from '../parse-flags.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { allocatorSettings } from './allocator.ts';
import { readShutdown } from './shutdown-flags.ts';
import { tellStarted } from './tell-started.ts';
import { LATER_WORKER, PING, STOP, WORKER_NUMBER, type Ports, type Ready } from './worker.ts';

/** How often a worker is asked whether it is alive, and how many questions it may leave unanswered. A supervisor that was suspended itself has asked nothing meanwhile. */
const PING_EVERY_MS = 1_000;
const MAX_UNANSWERED = 10;
/** How much longer than their grace workers that are alive may take to stop: at its default size a full buffer of audit events takes half a minute. */
const STOP_LATE_MS = 40_000;
/** Delay before a worker that ended without having served is started again. */
const START_AGAIN_MS = 1_000;

/** The number of processes. Throws `UsageError` where the store supports only one. */
export function workersOf(flags: FlagValues): number {
  const count = flags.number('workers') ?? 1;
  const scheme = (flags.text('store') ?? 'lmdb://').split(':')[0] ?? '';
  if (count > 1 && (scheme === 'memory' || scheme === 'sqlite')) {
    throw new UsageError(`--workers=${count}: a store ${scheme}:// belongs to one process; use lmdb:// or --etcd-servers`);
  }
  return count;
}

/**
 * Runs `count` worker processes with the same command line on the same address, until a signal; resolves to the exit code. The first worker
 * initializes a new store before the others start. One that dies is replaced, and so is one that hangs: it may be the one that writes for all.
 */
export async function superviseWorkers(count: number, flags: FlagValues, terminal: Terminal): Promise<number> {
  const stop = waitForSignal();
  // Workers accept from a shared listen queue. With SCHED_RR a connection that is handed to a dying worker would be lost.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const { shutdownDelayMs, shutdownGraceMs } = readShutdown(flags);
  const workers = new Supervised(shutdownDelayMs + shutdownGraceMs + STOP_LATE_MS, terminal);
  const first = await Promise.race([workers.start(1), stop.then(() => EXIT.ok)]);
  if (typeof first === 'number') {
    await workers.stop();
    return first;
  }
  tellStarted(first.ready, terminal);
  for (let number = 2; number <= count; number++) void workers.keep(number);
  await stop;
  await workers.stop();
  return EXIT.ok;
}

class Supervised {
  readonly #stopMs: number;
  readonly #terminal: Terminal;
  readonly #ends = new Map<Worker, Promise<void>>();
  /** Workers that serve, and how many questions each has left unanswered. */
  readonly #serving = new Map<Worker, number>();
  /** Those of the first worker. */
  #ports: Ports | undefined;
  /** Workers that have the secure one open, also where they do not serve yet. */
  readonly #listening = new Set<Worker>();
  /** Arguments appended to the command line of new workers. */
  #placed: readonly string[] = [];
  /** Pending while it is not known by which ports new workers ask for those of the others. */
  #placing: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(stopMs: number, terminal: Terminal) {
    this.#stopMs = stopMs;
    this.#terminal = terminal;
    setInterval(() => this.#askAll(), PING_EVERY_MS).unref();
  }

  /** Starts a worker. Resolves when it serves, or to its exit code if it ends before; one that has served is replaced when it dies. */
  start(number: number): Promise<Ready | number> {
    return new Promise((resolve) => {
      cluster.setupPrimary({ args: [...process.argv.slice(2), ...this.#placed] });
      const worker = cluster.fork({ ...allocatorSettings(process.env), [WORKER_NUMBER]: number, ...(this.#ports === undefined ? {} : { [LATER_WORKER]: 'true' }) });
      worker.on('message', (message: Ready | typeof PING) => {
        if (message === PING) return this.#answered(worker);
        this.#ports ??= message;
        const isInPlace = message.port === this.#ports.port && message.insecurePort === this.#ports.insecurePort;
        if (!isInPlace) {
          // It bound a socket when all others were gone.
          worker.send(STOP, () => {});
          return;
        }
        this.#listening.add(worker);
        this.#serving.set(worker, 0);
        resolve(message);
      });
      worker.on('listening', ({ port }) => {
        if (port === this.#ports?.port) this.#listening.add(worker);
      });
      const ended = new Promise<void>((resolveEnd) => {
        worker.once('exit', (code) => {
          this.#ends.delete(worker);
          const wasLast = this.#listening.delete(worker) && this.#listening.size === 0;
          const served = this.#serving.delete(worker);
          resolveEnd();
          resolve(code ?? EXIT.failed);
          if (this.#isStopping) return;
          if (!served) this.#tellUnserved(worker);
          if (wasLast) this.#placing = this.#placeByNumber();
          if (served) this.#replace(worker, number);
        });
      });
      this.#ends.set(worker, ended);
    });
  }

  /** Starts a worker, again and again until one serves. */
  async keep(number: number): Promise<void> {
    for (;;) {
      await this.#placing;
      if (this.#isStopping || typeof (await this.start(number)) !== 'number') return;
      await new Promise((resolve) => setTimeout(resolve, START_AGAIN_MS));
    }
  }

  /** Asks all workers that serve to stop, and ends those that are starting, hang or do not stop in time; resolves when they have ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const worker of this.#ends.keys()) {
      if (this.#serving.has(worker)) worker.send(STOP, () => {});
      else worker.process.kill('SIGKILL');
    }
    const cancelLate = afterAwake(this.#stopMs, () => {
      for (const worker of this.#ends.keys()) this.#kill(worker, 'did not stop in time');
    });
    await Promise.all(this.#ends.values());
    cancelLate();
  }

  #askAll(): void {
    for (const [worker, unanswered] of this.#serving) {
      this.#serving.set(worker, unanswered + 1);
      if (unanswered < MAX_UNANSWERED) worker.send(PING, () => {});
      else if (unanswered === MAX_UNANSWERED) this.#kill(worker, 'hangs');
    }
  }

  #answered(worker: Worker): void {
    if (this.#serving.has(worker)) this.#serving.set(worker, 0);
  }

  #kill(worker: Worker, why: string): void {
    this.#terminal.err(`worker ${worker.process.pid} ${why} and is ended\n`);
    worker.process.kill('SIGKILL');
  }

  /**
   * Keeps all workers on the same ports, also where the first one chose them. While one of them has a port open, a worker that asks for any (0) shares
   * it; asking for it by number fails then, because it is taken. Once none has, the number is the only way to the same port; those that are starting
   * asked for any other.
   */
  async #placeByNumber(): Promise<void> {
    const { port, insecurePort } = this.#ports!;
    for (const worker of this.#ends.keys()) this.#kill(worker, `has not got port ${port} open`);
    await Promise.all(this.#ends.values());
    this.#placed = [`--secure-port=${port}`, ...(insecurePort === undefined ? [] : [`--insecure-port=${insecurePort}`])];
  }

  /** One that ends by itself has said why. A signal, as of a system without memory, leaves it no time to. */
  #tellUnserved({ process: { pid, signalCode } }: Worker): void {
    if (signalCode !== null) this.#terminal.err(`worker ${pid} ended (${signalCode}) before it served\n`);
  }

  #replace({ process: { pid, signalCode, exitCode } }: Worker, number: number): void {
    this.#terminal.err(`worker ${pid} ended (${signalCode ?? `exit code ${exitCode}`}): another one takes its place\n`);
    void this.keep(number);
  }
}
